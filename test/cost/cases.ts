/** The calls whose cost is counted. Each is called once, in this order, on the rows of rows.ts. */
import type { CostCase } from "./case.ts";
import { getCases, previewCases, writeCases } from "./gets_and_writes.ts";
import { listCases } from "./lists.ts";
import { contentCases } from "./registry_content.ts";
import { registryCases } from "./registry_host.ts";
import { firstVersionCases } from "./version1.ts";

export const cases: CostCase[] = [
  ...getCases,
  ...previewCases,
  ...listCases,
  ...firstVersionCases,
  ...registryCases,
  ...writeCases,
  ...contentCases,
];
