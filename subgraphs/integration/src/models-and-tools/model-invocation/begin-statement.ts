// tables: runs, model_budgets

import { insertHeldRuns } from "../../runs/held/held-run-statements.js";
import { reserving } from "../model-budgets/model-budgets.js";

/**
 * Reserves for several calls and inserts their runs, with one statement: the runs' parameters, then the reservation's.
 * No row is returned, and nothing is changed, when the budget does not suffice for all calls.
 */
export const beginReserved = {
  name: "model_runs_begin",
  text: `with reserved as (${reserving("$11", "$12", "$13", "$14")})
    ${insertHeldRuns.text}
    where exists (select from reserved) returning run_id`,
};
