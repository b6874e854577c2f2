/** A separate platform whose operator is called acme, and which requires terms. */
import { startOwnPlatform } from "./own_platform.ts";
import { randomName, randomUid } from "./personas.ts";
import { tokenFor } from "./platform.ts";

/** RPCs of both versions that require a document. */
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

/** Starts the platform on a new database. `close` stops it. */
export async function startAcme() {
  const bindings = { VENDOR: "acme", TERMS: JSON.stringify(terms) };
  const { origin, db, stop } = await startOwnPlatform({ bindings });
  const sql = async (query: string, ...values: unknown[]) =>
    (
      await db
        .prepare(query)
        .bind(...values)
        .all()
    ).results;
  const uid = randomUid();
  const insert =
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'a', 1, 1, 1)";
  await sql(insert, uid);
  const token = await tokenFor(uid);

  /** One call with a body of JSON, as the owner of everything that is created here. */
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
  return { origin, token, sql, call, newOrganization, close: stop };
}
