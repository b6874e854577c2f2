/** Measures the questions about access. */
import type { MeasuringCaller } from "./caller.ts";
import { fixtures } from "./fixtures.ts";

const service = "iam.access.v2.AccessService";

/** Measures the questions that name one resource. ListAccess is in measure_registry.ts. */
export async function measureAccess(caller: MeasuringCaller, member: string): Promise<void> {
  const capability = "CAP_REPO_LIST";
  const asked = { identityUid: fixtures.member, capability, resourceUid: fixtures.root };
  await caller.get(`${service}/ExplainAccess`, asked);
  await caller.get(`${service}/TestPermissions`, { resourceUids: [fixtures.root] });
  const claims = { iss: "https://issuer.example", sub: "subject" };
  const diagnosis = "iam.diagnosis.v2.TokenDiagnosisService/DiagnoseToken";
  await caller.get(diagnosis, { uid: fixtures.root, claims });
  const id = await decisionOf(caller, member);
  await caller.get(`${service}/GetAccessDecision`, { id });
}

/** Returns the decision id of a refused call of someone who has no role on the root group. */
async function decisionOf(caller: MeasuringCaller, member: string): Promise<string> {
  const text = await caller
    .ask("iam.v2.GroupsService/GetGroup", { uid: fixtures.root }, member)
    .then(
      () => "",
      (error: unknown) => String(error),
    );
  const id = /"decision_id":"([\w-]+)"/.exec(text)?.[1];
  if (id === undefined) throw new Error(`no decision id in ${text || "a call that succeeded"}`);
  return id;
}
