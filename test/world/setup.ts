/** Starts the platform once for all tests: real Workers, a real local D1, every migration. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { createTestHarness, type TestHarness } from "wrangler";
import { makeKeys } from "./keys.ts";
import { serveNames } from "./resolver.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Origin of the whole platform in one Worker. */
    baseUrl: string;
    /** Where a test may run SQL on the platform's D1. */
    sqlUrl: string;
    /** SIGNING_KEYS of the platform. */
    signingKeys: string;
    pageTokenKeys: string;
    encryptionKeys: string;
    /** Ports at which the platform looks for the clouds: a test may listen there. */
    clouds: { aws: number; google: number; azure: number };
    /** Port of the issuer whose people may register themselves: a test may listen there. */
    registrar: number;
  }
}

process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
process.env.WRANGLER_SEND_METRICS = "false";

export default async function setup(project: TestProject) {
  const { signingKeys, pageTokenKeys, encryptionKeys } = await makeKeys();
  const clouds = { aws: await freePort(), google: await freePort(), azure: await freePort() };
  const registrar = await freePort();
  const names = await serveNames();
  const harness = createTestHarness({
    root: new URL("../..", import.meta.url).pathname,
    workers: [
      {
        configPath: "wrangler.toml",
        vars: {
          METER: "true",
          TRUSTED_EMAIL_ISSUERS: `https://trusted.example http://localhost:${registrar}`,
          REGISTRATION_ISSUERS: `http://localhost:${registrar}`,
          PUBLIC_EMAIL_DOMAINS: "mail.example",
          AWS_STS_URL: `http://127.0.0.1:${clouds.aws}`,
          GOOGLE_STS_URL: `http://127.0.0.1:${clouds.google}`,
          AZURE_LOGIN_URL: `http://127.0.0.1:${clouds.azure}`,
          DNS_URL: names.url,
        },
        secrets: {
          SIGNING_KEYS: signingKeys,
          PAGE_TOKEN_KEYS: pageTokenKeys,
          ENCRYPTION_KEYS: encryptionKeys,
        },
      },
      { configPath: "test/world/sql.toml" },
    ],
  });
  const { url } = await harness.listen();
  await harness.getWorker("platform").applyD1Migrations("DB");
  const sql = await serveSql(harness.getWorker("sql"));
  project.provide("baseUrl", url.origin);
  project.provide("sqlUrl", sql.url);
  project.provide("signingKeys", signingKeys);
  project.provide("pageTokenKeys", pageTokenKeys);
  project.provide("encryptionKeys", encryptionKeys);
  project.provide("clouds", clouds);
  project.provide("registrar", registrar);
  return async () => {
    sql.close();
    names.close();
    await harness.close();
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Tests run in processes of their own: they reach the Worker that runs SQL through here. */
async function serveSql(worker: ReturnType<TestHarness["getWorker"]>) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = await worker.fetch("http://sql", { method: "POST", body });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
