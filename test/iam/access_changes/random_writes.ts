/** Random writes to a small organization: the method, the path and the body of each. */
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { step } from "../../contract/fixtures.ts";
import { oneOf, type Rows, readRows, type SmallWorld, someCapabilities } from "./small_world.ts";

export interface RandomWrite {
  method: "POST" | "PATCH" | "DELETE";
  path: string;
  body?: object;
}

const capabilities = (world: SmallWorld) => someCapabilities(world).map((one) => Capability[one]);

type NewWrite = (world: SmallWorld, rows: Rows) => RandomWrite;

const anyRole = (world: SmallWorld, { roles }: Rows) =>
  oneOf(
    world,
    roles.filter(({ uid }) => uid.length > 40),
  ).uid;
const anyBinding = (world: SmallWorld, { bindings }: Rows) => oneOf(world, bindings).uid;
const anyMapping = (world: SmallWorld, { mappings }: Rows) => oneOf(world, mappings).uid;
const anyWorkload = (world: SmallWorld, { identities }: Rows) =>
  oneOf(
    world,
    identities.filter(({ uid }) => uid.length > 40),
  ).uid;

const claimMatch = () => ({ issuer: "https://issuer.example", subject: `new-${step()}` });

const writes: NewWrite[] = [
  (world, { roles: _ }) => ({
    method: "POST",
    path: `/iam/v2/roles/${oneOf(world, world.groups)}`,
    body: { name: `role ${step()}`, capabilities: capabilities(world) },
  }),
  (world, rows) => ({
    method: "PATCH",
    path: `/iam/v2/roles/${anyRole(world, rows)}`,
    body: { capabilities: capabilities(world) },
  }),
  (world, rows) => ({ method: "DELETE", path: `/iam/v2/roles/${anyRole(world, rows)}` }),
  (world, rows) => ({
    method: "POST",
    path: `/iam/v2/roleBindings/${oneOf(world, world.groups)}`,
    body: { identityUid: oneOf(world, rows.identities).uid, roleUid: anyRole(world, rows) },
  }),
  (world, rows) => ({
    method: "PATCH",
    path: `/iam/v2/roleBindings/${anyBinding(world, rows)}`,
    body:
      world.random() < 0.5
        ? { roleUid: anyRole(world, rows) }
        : { identityUid: oneOf(world, rows.identities).uid },
  }),
  (world, rows) => ({ method: "DELETE", path: `/iam/v2/roleBindings/${anyBinding(world, rows)}` }),
  (world) => ({
    method: "POST",
    path: `/iam/v2/identities/${oneOf(world, world.groups)}`,
    body: { name: `bot ${step()}`, ...(world.random() < 0.5 ? { claimMatch: claimMatch() } : {}) },
  }),
  (world, rows) => ({
    method: "PATCH",
    path: `/iam/v2/identities/${anyWorkload(world, rows)}`,
    body: world.random() < 0.3 ? { description: step() } : { claimMatch: claimMatch() },
  }),
  (world, rows) => ({ method: "DELETE", path: `/iam/v2/identities/${anyWorkload(world, rows)}` }),
  (world, rows) => ({
    method: "POST",
    path: `/iam/v2/externalGroupRoleMappings/${oneOf(world, world.providers)}`,
    body: {
      externalGroupId: oneOf(world, ["developers", "admins"]),
      roleUid: anyRole(world, rows),
      scope: world.organization.uid,
    },
  }),
  (world, rows) => ({
    method: "PATCH",
    path: `/iam/v2/externalGroupRoleMappings/${anyMapping(world, rows)}`,
    body:
      world.random() < 0.5
        ? { roleUid: anyRole(world, rows) }
        : { externalGroupId: oneOf(world, ["developers", "admins"]) },
  }),
  (world, rows) => ({
    method: "DELETE",
    path: `/iam/v2/externalGroupRoleMappings/${anyMapping(world, rows)}`,
  }),
];

/** The kinds that change access most often come more often. */
const weighted = writes.flatMap((write, at) =>
  Array.from({ length: [1, 5, 1, 5, 5, 2, 1, 3, 1, 3, 3, 1][at] ?? 1 }, () => write),
);

/** The next write. Some of them are refused, because the owner cannot do everything. */
export async function nextWrite(world: SmallWorld): Promise<RandomWrite> {
  return oneOf(world, weighted)(world, await readRows(world));
}
