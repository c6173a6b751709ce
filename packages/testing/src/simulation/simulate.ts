import type { Scenario } from "./scenario.ts";
import type { SimulationReport } from "./simulation-report.ts";
import { checkSimulateOptions, type SimulateOptions } from "./simulate-options.ts";

/**
 * Runs the actors of a scenario over a store, once for each seed: a scheduler with a clock of its own lets one request happen at a
 * time, in an order that the seed decides, and lets requests fail or arrive late. Checks compare what actors were given with
 * what really happened in the store. The same seed gives the same history.
 *
 * @returns what was run, when every check accepted every run
 * @throws SimulationError `simulation.violation` with the shortest history that shows it, and its seed; `simulation.stuck` for an
 *   actor that waits for something else than requests and time; `simulation.storage`; OptionError `simulation.option`
 */
export async function simulate<Name extends string>(
  scenario: Scenario<Name>,
  options: SimulateOptions<NoInfer<Name>> = {},
): Promise<SimulationReport> {
  const settings = checkSimulateOptions(scenario, options);
  // Only tests that simulate load it.
  const { runSeeds } = await import("./run/run-seeds.ts");
  return runSeeds(scenario, settings);
}
