import type { AnswerForms } from "../http/admission.ts";
import { faultMessage, serviceError } from "../wire/fault-answer.ts";

/** How a queue service answers, whatever it is asked. */
export const queueForms: AnswerForms = {
  product: "Windows-Azure-Queue/1.0",
  initialVersion: "2009-09-19",
  refuse: (fault) => ({
    status: fault.status,
    headers: { "content-type": "application/xml", "x-ms-error-code": fault.code, ...fault.headers },
    body: serviceError(fault.code, faultMessage(fault)),
  }),
  beginning: (method) => ({
    status: method === "GET" ? 200 : method === "POST" ? 201 : 204,
    type: "application/xml",
    text: '<?xml version="1.0" encoding="utf-8"?><QueueMessagesList><Queue',
  }),
};
