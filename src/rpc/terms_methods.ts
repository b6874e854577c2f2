/** Checks that the RPCs in the setting TERMS exist. */
import { demandsOf } from "../../schema/options.ts";
import { type Config, ConfigError } from "../config.ts";
import type { Rpc, Service } from "./service.ts";

/** This RPC is marked as unscoped, but it is about the group that it names as the parent. */
const checkedByHandler = [
  "platform.iam.v2.GroupsService/CreateGroup",
  "platform.iam.Groups/Create",
];

/** The iam Worker serves this, although its package is that of events (src/platform.ts). */
const foreignService = "platform.events.Identities";

/** If this RPC required a document, no one could accept the document. */
const acceptTermsMethods = [
  "platform.iam.v2.TermsService/AcceptTerms",
  "platform.iam.Terms/AcceptTerms",
];

/**
 * Throws ConfigError if TERMS names an RPC of these services that does not exist or is not served. Also
 * throws it for an RPC that is not about a single group, because such an RPC never asks for a document.
 */
export function checkTermsMethods({ terms }: Config, services: Service[]): void {
  const own = services.filter(({ desc }) => desc.typeName !== foreignService);
  const packages = new Set(own.map(({ desc }) => desc.file.proto.package));
  const rpcs = new Map(
    services.flatMap(({ desc, rpcs }) =>
      rpcs.map((rpc): [string, Rpc] => [`${desc.typeName}/${rpc.method.name}`, rpc]),
    ),
  );
  for (const name of terms.flatMap(({ methods }) => methods)) {
    const [service = ""] = name.split("/");
    if (!packages.has(service.slice(0, service.lastIndexOf(".")))) continue;
    const rpc = rpcs.get(name);
    if (!rpc) throw new ConfigError(`TERMS names ${name}, which is not an RPC`);
    if (
      acceptTermsMethods.includes(name) ||
      !(canWaitForTerms(rpc) || checkedByHandler.includes(name))
    ) {
      throw new ConfigError(
        `TERMS names ${name}, which cannot require documents: list RPCs that need a capability on the resource they name`,
      );
    }
  }
}

/**
 * Whether the RPC is served, and requires a capability on the resource that it names. Only there are
 * documents checked.
 */
function canWaitForTerms({ method, capabilities, unimplementedReason }: Rpc): boolean {
  return (
    !demandsOf(method).unscoped && capabilities.length > 0 && unimplementedReason === undefined
  );
}
