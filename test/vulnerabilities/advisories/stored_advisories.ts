/** Advisories written without the API, and lists of them. */
import { expect } from "vitest";
import { callApi, insertRow, randomHex } from "../callers.ts";

/** The columns of a row, by name. */
export type RowColumns = Record<string, string | number | null>;
/** The columns of an event. `type` is the number of an EventTypeFilter. */
export type EventColumns = RowColumns & { type: number };

const Approved = 2;

/** Inserts an advisory with events. Missing columns have the same defaults for every advisory. */
export async function insertAdvisory(
  group: string,
  given: RowColumns = {},
  events: EventColumns[] = [],
) {
  const uid = `${group}/${randomHex(16)}`;
  const row: RowColumns = {
    uid,
    advisory_id: `ADV-${randomHex(8)}`,
    legacy_advisory_id: null,
    delete_time: null,
    author: "ann@example.com",
    artifact_name: "py3-box",
    artifact_type: "apk",
    artifact_architecture: "x86_64",
    component_name: "box",
    component_location: "./PKGINFO",
    component_type: "python",
    origin: "py-box",
    aliases: "[]",
    severities: "[]",
    create_time: 1000,
    update_time: 2000,
    ...given,
  };
  await insertRow("advisories", row);
  for (const event of events) await insertAdvisoryEvent(uid, event);
  return uid;
}

/** Inserts an event, which is approved by default. Returns its uid. */
export async function insertAdvisoryEvent(advisory: string, event: EventColumns): Promise<string> {
  const uid = `${advisory}/${randomHex(16)}`;
  const row: RowColumns = {
    uid,
    advisory_uid: advisory,
    author: "ann@example.com",
    reviewer: "rex@example.com",
    review_state: Approved,
    detail: "{}",
    create_time: 1000,
    update_time: 1000,
    ...event,
  };
  await insertRow("advisory_events", row);
  return uid;
}

/** An advisory in a list. */
export interface ListedAdvisory {
  uid: string;
  advisoryId: string;
  artifactName: string;
  events: { note?: string }[];
}

/** A list, which must succeed: the response, its advisories and their ids in order. */
export async function listAdvisories(token: string, query: string) {
  const answer = await callApi(token, `advisories?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const found = (answer.body.advisories ?? []) as ListedAdvisory[];
  return { ...answer, found, ids: found.map((one) => one.advisoryId).sort() };
}
