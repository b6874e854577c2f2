/** The configuration of a platform on this machine, as far as requests to others need it. */
import type { Config } from "../../src/config.ts";

const here = "http://localhost:8787";

export const development = {
  baseUrl: here,
  registryUrl: here,
  issuerUrl: here,
  dnsUrl: "",
} as Config;
