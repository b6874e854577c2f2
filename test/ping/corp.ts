/** The configuration of a platform with three hosts, which is not the platform under test. */
import type { Env } from "../../src/config.ts";

/** It has no database. A test that needs one adds it. */
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
