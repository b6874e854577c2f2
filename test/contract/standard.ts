/**
 * Standard resources of version 2 have a name, a description and a Create (AIP-121), so the calls that create
 * and change them follow from their protos.
 */
import type { DescField, JsonObject } from "@bufbuild/protobuf";
import { randomName } from "../world/personas.ts";
import { askRest } from "./callers.ts";
import { minimalRequest } from "./requests.ts";
import { type ContractRpc, rpcs } from "./rpcs.ts";

const isText = (field: DescField | undefined) => field?.fieldKind === "scalar";

/**
 * The resource field of a Create or Update request in version 2, if the resource has a name and a
 * description.
 */
export function resourceIn({ method, isV1 }: ContractRpc): DescField | undefined {
  const [, kind] = /^(?:Create|Update)(.+)$/.exec(method.name) ?? [];
  const found = method.input.fields.find(({ message }) => message?.name === kind);
  const has = (name: string) => isText(found?.message?.fields.find((one) => one.name === name));
  return !isV1 && has("name") && has("description") ? found : undefined;
}

/** The Create RPC of each standard resource, by the name of its service. */
export const creates: ReadonlyMap<string, ContractRpc> = new Map(
  rpcs
    .filter((rpc) => rpc.method.name.startsWith("Create") && resourceIn(rpc))
    .map((rpc) => [rpc.method.parent.name, rpc]),
);

/** A request that creates a resource of a service below a uid. */
export function creation(
  service: string,
  parent: string,
  more: JsonObject = {},
): [ContractRpc, JsonObject] {
  const rpc = creates.get(service);
  const field = rpc && resourceIn(rpc);
  if (!rpc || !field) throw new Error(`${service} has no standard resource`);
  const request = minimalRequest(rpc, parent);
  const name = randomName(field.message?.name.toLowerCase() ?? "");
  const given = { ...(request[field.jsonName] as JsonObject), name, description: "d", ...more };
  return [rpc, { ...request, [field.jsonName]: given }];
}

/** Creates a resource of a standard service. Returns the response. */
export async function makeStandard(
  service: string,
  parent: string,
  token: string,
): Promise<{ uid: string; name: string }> {
  const [rpc, request] = creation(service, parent);
  const { status, body } = await askRest(rpc, request, token);
  if (status !== 200) throw new Error(`${rpc.name}: ${JSON.stringify(body)}`);
  return body;
}
