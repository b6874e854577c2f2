/** The RPCs that the configuration's TERMS names, checked against those there are. */
import { demandsOf } from "../../schema/options.ts";
import { type Config, ConfigError } from "../config.ts";
import type { Rpc, Service } from "./service.ts";

/** Flagged unscoped, but about the group that it names as parent. */
const checkedByHandler = [
  "platform.iam.v2.GroupsService/CreateGroup",
  "platform.iam.Groups/Create",
];

/** Served by iam, though its package is that of events (src/platform.ts). */
const foreignService = "platform.events.Identities";

/** Nobody could ever accept what this one waits for. */
const acceptTermsMethods = [
  "platform.iam.v2.TermsService/AcceptTerms",
  "platform.iam.Terms/AcceptTerms",
];

/**
 * Throws ConfigError where TERMS names, in a package of these services, an RPC that they do not
 * have or do not serve, or one that is about no single group: it would never wait for anything.
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
    if (!rpc) throw new ConfigError(`TERMS names ${name}, and there is no such RPC`);
    if (
      acceptTermsMethods.includes(name) ||
      !(canWaitForTerms(rpc) || checkedByHandler.includes(name))
    ) {
      throw new ConfigError(`TERMS names ${name}, which cannot wait for terms`);
    }
  }
}

/** Whether it is served, and asks for a capability at what it names: that is where it waits. */
function canWaitForTerms({ method, capabilities, unimplementedReason }: Rpc): boolean {
  return (
    !demandsOf(method).unscoped && capabilities.length > 0 && unimplementedReason === undefined
  );
}
