/** The tools of the API for language models (Model Context Protocol). */
import { ConfigError } from "../config.ts";
import { type AskDomain, mcpWorker } from "./endpoint.ts";

export { mcpWorker };

/** The Workers of the domains, such as `DOMAIN_REGISTRY` (schema/deployment). */
type DomainBindings = Record<
  `DOMAIN_${string}`,
  { fetch(request: Request): Promise<Response> } | undefined
>;

/** Sends the request over the service binding of the domain, so that it does not leave Cloudflare. */
const overBinding: AskDomain = (domain, request, env) => {
  const name = `DOMAIN_${domain.toUpperCase()}` as const;
  // A cast, because no other Worker has these bindings.
  const bound = (env as unknown as DomainBindings)[name];
  if (!bound) throw new ConfigError(`configuration is missing ${name}`);
  return bound.fetch(request);
};

export default mcpWorker(overBinding);
