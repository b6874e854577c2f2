/** Writes the body of each event type of version 2, so that a receiver knows its fields. */
import type { DescMethod } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { eventAttributes } from "../options.ts";
import type { Declarations } from "./messages.ts";
import type { ClientResource } from "./operations.ts";

/** The events that contain only some fields of their message (contract: v2 event table). */
const redacted =
  /^api\.iam\.(group_invite\.created|identity_providers\.(created|updated|scim_token\.(re)?generated))\.v1$/;

/** The events whose body is the request. An RPC without a response has such an event too. */
const requests = ["api.events.subscription.redelivered.v1"];

/** Returns the interface `EventBodies`: the type of the body by the type of the event. */
export function eventsText(resources: ClientResource[], declarations: Declarations): string {
  const methods = resources.flatMap(({ operations }) => operations.map(({ method }) => method));
  const members = new Map<string, Set<string>>();
  for (const method of methods) {
    const { type, audience } = eventAttributes(method) ?? {};
    if (type === undefined || audience !== "customer") continue;
    const bodies = members.get(type) ?? new Set();
    members.set(type, bodies.add(bodyOf(method, type, declarations)));
  }
  const lines = [...members]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, bodies]) => `  "${type}": ${[...bodies].join(" | ")};\n`);
  return `/** The bodies of events by their types, without the prefix \`dev.<vendor>.\`. */
export interface EventBodies {
${lines.join("")}}
`;
}

function bodyOf({ input, output }: DescMethod, type: string, declarations: Declarations): string {
  const isRequest = output.typeName === EmptySchema.typeName || requests.includes(type);
  const name = declarations.message(isRequest ? input : output, isRequest ? "input" : "answer");
  return redacted.test(type) ? `Partial<${name}>` : name;
}
