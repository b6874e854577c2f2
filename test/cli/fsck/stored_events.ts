/** Events of a database of world.ts, and damage of their data. */
import type { DatabaseSync } from "node:sqlite";
import { packText } from "../../../src/outbox/stored_data.ts";
import type { damages } from "./damages.ts";
import { childUid, hash, insertRow, organizationUid } from "./world.ts";

/** Adds four events to a database. The data of the last two is packed. */
export async function addEvents(db: DatabaseSync): Promise<void> {
  for (const n of [1, 2, 3, 4]) {
    const text = hash(String(n)).repeat(n < 3 ? 1 : 50);
    const data = await packText(JSON.stringify({ actor: { subject: "ada" }, body: { text } }));
    const more = { extensions: "{}", audience: "customer", data, body_type: "a.Body" };
    insertRow(db, "events", { seq: n - 2, uid: childUid(organizationUid, n), ...more });
  }
}

/** A change of these events, and what each check finds. */
export const eventDamages: typeof damages = [
  [
    "packed data has lost its end, and other data is not JSON",
    `UPDATE events SET data = json_set(data, '$.packed', substr(data ->> '$.packed', 1, 40)) WHERE seq = 2;
    UPDATE events SET data = substr(data, 1, 20) WHERE seq = 0`,
    { events: 2 },
  ],
  [
    "packed data has other bytes",
    `UPDATE events SET data = json_set(data, '$.packed', 'AAAA' || substr(data ->> '$.packed', 5)) WHERE seq > 0`,
    { events: 2 },
  ],
];
