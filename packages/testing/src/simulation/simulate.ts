import type { Scenario } from "./scenario.ts";
import type { SimulationReport } from "./simulation-report.ts";
import { checkSimulateOptions, type SimulateOptions } from "./simulate-options.ts";

/**
 * Runs the actors of a scenario on a store, once for each seed. A scheduler with a simulated clock lets one request
 * happen at a time, in an order that the seed determines, and makes requests fail or arrive late. Checks compare the
 * results of actors with what really happened in the store. The same seed gives the same history.
 *
 * @returns a report, if every check accepted every run
 * @throws SimulationError `simulation.violation` with the shortest history that shows it, and its seed;
 *   `simulation.stuck` if an actor waits for anything other than requests and time; `simulation.storage`; OptionError
 *   `simulation.option`
 */
export async function simulate<Name extends string>(
  scenario: Scenario<Name>,
  options: SimulateOptions<NoInfer<Name>> = {},
): Promise<SimulationReport> {
  const settings = checkSimulateOptions(scenario, options);
  // Loaded on demand, since only tests that simulate need it.
  const { runSeeds } = await import("./run/run-seeds.ts");
  return runSeeds(scenario, settings);
}
