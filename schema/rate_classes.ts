/** The class of an RPC, which decides about its rate limits. */
import type { DescMethod } from "@bufbuild/protobuf";
import type { RateClass } from "./deployment/rate_limits.ts";
import { httpRules } from "./options.ts";

/** The RPCs whose class their method and name do not show. */
const exceptions: Record<string, RateClass> = {
  "platform.auth.Auth/Register": "login",
  "platform.auth.Auth/GetHeadlessSession": "login",
  "platform.iam.access.v2.AccessService/TestPermissions": "read",
  "platform.registry.v2.SbomsService/CreateSbom": "import",
  "platform.registry.v2.VulnReportsService/CreateVulnReport": "import",
};

/** The service of the token exchanges. */
const exchanges = "platform.oidc.SecurityTokenService";

/** The class of an RPC: from its service, its method of HTTP and its name. */
export function classOf(method: DescMethod): RateClass {
  const { parent, name } = method;
  const exception = exceptions[`${parent.typeName}/${name}`];
  if (exception) return exception;
  if (parent.typeName === exchanges) return "exchange";
  // The health check of gRPC has no REST path.
  if (parent.typeName.startsWith("grpc.")) return "read";
  if (httpRules(method)[0]?.verb === "get")
    return /^(?:List|BatchGet)/.test(name) ? "list" : "read";
  return name.startsWith("Import") ? "import" : "write";
}
