/** The configuration of another platform than the one that runs, with three hosts. */
import type { Env } from "../../src/config.ts";

/** Without a database: a test that needs one gives its own. */
export const corpEnv = {
  DB: {},
  BASE_URL: "https://api.corp.example",
  REGISTRY_URL: "https://oci.corp.example",
  ISSUER_URL: "https://sts.corp.example",
  AUDIENCE: "https://api.corp.example",
  REGISTRY_AUDIENCE: "oci.corp.example",
  VENDOR: "corp",
  SERVICE_DOMAIN: "platform.corp.example",
  PUBLIC_NAMESPACE: "public",
  SIGNING_KEYS: '{"keys":[{"kty":"EC"}]}',
  PAGE_TOKEN_KEYS: `["${"a".repeat(43)}"]`,
} as unknown as Env;
