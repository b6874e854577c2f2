/** Version 1 calls about advisories, with a bearer token. */
import { expect } from "vitest";
import { type Answer, callRest, costOf, sql } from "../../world/platform.ts";

const root = "/vulnerabilities/v1";

/** The expected outcome of a call. */
type Message = Answer["body"];

export const callsOf = (token: string) => {
  const ask = (method: string, path: string, body?: unknown) =>
    callRest(`${root}/${path}`, { method, token, body });
  return {
    create: (parentId: string, advisory: object) =>
      ask("POST", "advisories", { parentId, advisory }),
    update: (id: string, advisory: object) => ask("PUT", `advisories/${id}`, advisory),
    remove: (id: string) => ask("DELETE", `advisories/${id}`),
    list: (query: string) => ask("GET", `advisories?${query}`),
    addEvent: (id: string, advisoryEvent: object) =>
      ask("POST", `advisories/${id}/events`, { advisoryEvent }),
    listEvents: (id: string) => ask("GET", `advisories/${id}/events`),
    updateEvent: (id: string, event: object) => ask("PUT", `advisory_events/${id}`, event),
    /** The advisory as version 2 returns it. */
    getV2: (id: string) => callRest(`/vulnerabilities/v2/advisories/${id}`, { token }),
  };
};

/** The message of a call, which must succeed. */
export async function ok(asked: Promise<Answer>): Promise<Message> {
  const { status, body } = await asked;
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The rows of a page, which must succeed: their names, and the cost of the page. */
export async function namesAndCost(asked: Promise<Answer>) {
  const answer = await asked;
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const items = (answer.body.items ?? []) as { artifactName: string }[];
  return { ...costOf(answer), names: items.map((one) => one.artifactName), body: answer.body };
}

/** The status, the reason and the fields of an error. */
export async function refusalSummary(asked: Promise<Answer>) {
  const { status, body } = await asked;
  const violations = body.details?.[1]?.fieldViolations ?? [];
  const fields = violations.map((one: { field: string }) => one.field);
  const type = body.details?.[1]?.violations?.[0]?.type;
  return { status, fields, type, text: JSON.stringify(body) };
}

/** The outbox rows about a subject, oldest first. */
export const eventsAbout = (subject: string) =>
  sql<{ type: string; body_type: string; data: string; group_uid: string; source: string }>(
    "select * from events where subject = ? order by rowid",
    subject,
  );
