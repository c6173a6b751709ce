// What a program can watch: requests, queries and saves, in hooks, in tracing channels and in a log.

export { logActivity } from "./storage/tracing/log-activity.ts";
export type { ActivityLogOptions, LoggedActivity } from "./storage/tracing/activity-log.ts";
export type { AroundWork } from "./storage/tracing/trace-without-result.ts";
export type { QueryEvent, RequestEvent, SaveEvent, SentRequest } from "./storage/tracing/trace-events.ts";
export type { ReceivedResponse, HookContext } from "./work/unit-of-work/hooks.ts";
