/** Calls DiagnoseToken. */
import type { Organization } from "../../world/personas.ts";
import { type Answer, callRest } from "../../world/platform.ts";

export const diagnose = (
  { uid, owner }: Organization,
  body: Record<string, unknown>,
  { token = owner.token, group = uid }: { token?: string | undefined; group?: string } = {},
): Promise<Answer> => callRest(`/iam/v2/groups/${group}:diagnoseToken`, { token, body });

/** The outcomes of the checks, by their kinds. */
export const outcomesOf = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(
    body.checks.map(({ kind, outcome }: { kind: string; outcome: string }) => [
      kind.replace("TOKEN_CHECK_KIND_", ""),
      outcome.replace("CHECK_OUTCOME_", ""),
    ]),
  );
