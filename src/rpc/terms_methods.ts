/** The RPCs that the configuration's TERMS names, checked against those there are. */
import { type Config, ConfigError } from "../config.ts";
import { iamOf, type Rpc, type Service } from "./service.ts";

/** Flagged unscoped, but about the group that it names as parent. */
const checkedByHand = ["platform.iam.v2.GroupsService/CreateGroup"];

/** Nobody could ever accept what this one waits for. */
const accepting = "platform.iam.v2.TermsService/AcceptTerms";

/**
 * Throws ConfigError where TERMS names, in a package of these services, an RPC that they do not
 * have, or one that is about no single group: it would never wait for anything.
 */
export function checkTermsMethods({ terms }: Config, services: Service[]): void {
  const packages = new Set(services.map(({ desc }) => desc.file.proto.package));
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
    const mode = iamOf(rpc.method)?.mode;
    const isScoped = mode?.case === "enabled" && !mode.value.unscoped;
    if (name === accepting || !(isScoped || checkedByHand.includes(name))) {
      throw new ConfigError(`TERMS names ${name}, which cannot wait for terms`);
    }
  }
}
