/** Writes of the resources that are created from their protos. */

import { standardServices } from "../../contract/fixtures.ts";
import { rpcs } from "../../contract/rpcs.ts";
import { creates, creation } from "../../contract/standard.ts";
import { type Write, writesOf } from "./write.ts";

function ofService(service: string): Write[] {
  const named = (start: string) =>
    rpcs.find(({ method }) => method.parent.name === service && method.name.startsWith(start));
  const [update, removal] = [named("Update"), named("Delete")];
  const [field = ""] = (update?.method.input.fields ?? []).map(({ jsonName }) => jsonName);
  return [
    ...writesOf(creates.get(service)?.name ?? "", {
      "of a new name": ({ organization }) => creation(service, organization, { name: "new" })[1],
      "in the leaf": ({ leaf }) => creation(service, leaf, { name: "new" })[1],
    }),
    ...writesOf(update?.name ?? "", {
      name: ({ standard }) => ({ [field]: { uid: standard[service] ?? "", name: "new" } }),
      description: ({ standard }) => ({
        [field]: { uid: standard[service] ?? "", description: "changed" },
      }),
    }),
    ...writesOf(removal?.name ?? "", { it: ({ standard }) => ({ uid: standard[service] ?? "" }) }),
  ];
}

export const standardWrites: Write[] = standardServices.flatMap(ofService);
