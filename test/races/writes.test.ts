/** Every write takes part in the races. */
import { expect, test } from "vitest";
import { rpcs } from "../contract/rpcs.ts";
import { writes } from "./writes/all.ts";

/** These use POST but write nothing. They call the clouds, or their request is too long or too confidential for a URL. */
const readOnly = [
  "AccessService/TestPermissions",
  "AccountAssociationsService/CheckAccountAssociation",
  "ReadmesService/RenderReadme",
  "TagRulesService/CheckTag",
  "TagRulesService/PreviewTagRule",
  "iam.GroupAccountAssociations/Check",
  "TokenDiagnosisService/DiagnoseToken",
];

/** This uses GET but deletes what it returns. */
const takesAway = ["auth.Auth/GetHeadlessSession"];

test("every RPC that writes is raced against every other", () => {
  const writing = rpcs
    .filter(({ verb, name }) => verb !== "GET" || takesAway.includes(name))
    .map(({ name }) => name)
    .filter((name) => !readOnly.includes(name));
  const raced = new Set(writes.flatMap(({ rpc }) => rpc ?? []));
  expect([...raced].sort()).toEqual(writing.sort());
});

test("writes outside RPCs race too: sign-ins, logins, a revocation, SCIM", () => {
  const kinds = writes.flatMap(({ name, rpc }) => (rpc ? [] : [name.split(" ")[0]]));
  expect(new Set(kinds)).toEqual(new Set(["sign-in", "login", "revocation", "SCIM"]));
});

test("every write of the races has a unique name", () => {
  const names = writes.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
