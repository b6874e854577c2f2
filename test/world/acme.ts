/** A platform of its own whose operator is called acme, and which demands terms. */
import { inject } from "vitest";
import { createTestHarness } from "wrangler";
import { randomName, randomUid } from "./personas.ts";
import { tokenFor } from "./platform.ts";

interface D1Database {
  prepare(query: string): {
    bind(...values: unknown[]): { all(): Promise<{ results: Record<string, unknown>[] }> };
  };
}

/** RPCs of both versions that wait for a document. */
const terms = [
  {
    id: "sfdpa.v1",
    label: "Data Privacy Agreement",
    url: "https://terms.example/sfdpa",
    methods: [
      "platform.registry.v2.ReposService/CreateRepo",
      "platform.registry.Registry/CreateRepo",
    ],
  },
];

/** Starts it on a new database. `close` ends it. */
export async function startAcme() {
  const harness = createTestHarness({
    root: new URL("../..", import.meta.url).pathname,
    workers: [
      {
        configPath: "wrangler.toml",
        vars: { VENDOR: "acme", TERMS: JSON.stringify(terms) },
        secrets: {
          SIGNING_KEYS: inject("signingKeys"),
          PAGE_TOKEN_KEYS: inject("pageTokenKeys"),
          ENCRYPTION_KEYS: inject("encryptionKeys"),
        },
      },
    ],
  });
  const { origin } = (await harness.listen()).url;
  const worker = harness.getWorker();
  await worker.applyD1Migrations("DB");
  const { DB: database } = (await worker.getEnv()) as { DB: D1Database };
  const sql = async (query: string, ...values: unknown[]) =>
    (
      await database
        .prepare(query)
        .bind(...values)
        .all()
    ).results;
  const uid = randomUid();
  const insert =
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'a', 1, 1, 1)";
  await sql(insert, uid);
  const token = await tokenFor(uid);

  /** One call with a body of JSON, as the owner of all that is made here. */
  async function call(path: string, body?: unknown, method = body ? "POST" : "GET") {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  const newOrganization = async () =>
    (await call("/iam/v2/groups", { name: randomName("org") })).body.uid as string;
  return { origin, token, sql, call, newOrganization, close: () => harness.close() };
}
