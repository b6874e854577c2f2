/** The class of an RPC, by what it costs. The log and the metrics count requests by it. */
import type { DescMethod } from "@bufbuild/protobuf";
import { httpRules } from "../../schema/options.ts";

export type RequestClass = "read" | "list" | "write" | "import" | "exchange";

/** The class of an RPC: from its service, its method of HTTP and its name. */
export function classOf(method: DescMethod): RequestClass {
  if (method.parent.typeName === "platform.oidc.SecurityTokenService") return "exchange";
  const [rule] = httpRules(method);
  // The health check of gRPC has no REST path.
  if (rule === undefined || rule.verb === "get")
    return /^(?:List|BatchGet)/.test(method.name) ? "list" : "read";
  return method.name.startsWith("Import") ? "import" : "write";
}
