/** The part of the configuration of a local platform that requests to other hosts need. */
import type { Config } from "../../src/config.ts";

const here = "http://localhost:8787";

export const development = {
  baseUrl: here,
  registryUrl: here,
  issuerUrl: here,
  dnsUrl: "",
} as Config;
