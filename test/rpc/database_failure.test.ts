/** Responses and log lines when D1 fails, in the form that each kind of client reads. */
import { ConnectError } from "@connectrpc/connect";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { toRegistryErrorResponse } from "../../src/distribution/errors.ts";
import { toScimErrorResponse } from "../../src/iam/scim/errors.ts";
import { toLoginRefusal } from "../../src/issuer/login/context.ts";
import { toDatabaseFailure } from "../../src/rpc/database_failure.ts";
import { toStatus, toStatusResponse } from "../../src/rpc/status.ts";

/** The headers of the request that failed. */
const sent = new Headers({ "x-request-id": "build-17" });

let log: MockInstance<typeof console.error>;
beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => log.mockRestore());

/** The messages that Cloudflare lists, and those of workerd and SQLite on a local disk. */
const full = [
  "D1_ERROR: database or disk is full: SQLITE_FULL",
  "D1_ERROR: database or disk is full: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_TRIGGER)",
  "D1_ERROR: Exceeded maximum DB size",
  "D1_ERROR: Exceeded maximum account storage limit",
];
const unavailable = [
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  "Network connection lost.",
  "internal error; reference = 6ficdl15pn6d7d4mjbsv76pt",
  "D1_ERROR: Failed to get session commit token: internal error; reference = p4tssfu2do2c34ooi",
];

/** An error of D1 as drizzle passes it on. */
const wrapped = (text: string) =>
  new Error("Failed query", { cause: toDatabaseFailure(new Error(text)) });

async function answered(text: string) {
  const response = toStatusResponse(toStatus(wrapped(text), sent), new Headers());
  const body = (await response.json()) as { code: number; details: { reason: string }[] };
  return [response.status, body.code, body.details[0]?.reason];
}

describe("a failure of D1 has its own reason", () => {
  test.each(full)("%s is STORAGE_FULL", async (text) => {
    expect(await answered(text)).toEqual([429, 8, "STORAGE_FULL"]);
  });

  test.each(unavailable)("%s is DATABASE_UNAVAILABLE", async (text) => {
    expect(await answered(text)).toEqual([503, 14, "DATABASE_UNAVAILABLE"]);
  });

  test.each([
    "D1_ERROR: no such table: repos: SQLITE_ERROR",
    "D1_ERROR: no such column: database or disk is full: SQLITE_ERROR",
  ])("%s is a bug in the platform, and INTERNAL", async (text) => {
    expect(await answered(text)).toEqual([500, 13, "INTERNAL"]);
  });

  test("an error of another source with the same text is not a failure of the database", () => {
    const error = toStatus(new Error("database or disk is full"), sent);
    expect(error.rawMessage).toBe("Internal error");
  });
});

test("the log has a line that says what is full, and the original error", () => {
  toStatus(wrapped("D1_ERROR: Exceeded maximum DB size"), sent);
  expect(log).toHaveBeenCalledOnce();
  const [[text]] = log.mock.calls as [[string]];
  expect(JSON.parse(text)).toMatchObject({
    level: "error",
    message: expect.stringContaining("The platform's storage is full: "),
    requestId: "build-17",
    error: expect.stringContaining("Failed query"),
  });
});

test("a write of an organization that leaves its database is refused for that reason", () => {
  const error = toStatus(wrapped("D1_ERROR: organization is leaving: SQLITE_CONSTRAINT"), sent);
  expect(error.rawMessage).toContain("the organization is moving to another database");
});

test("a client learns that a failed write may have taken effect", () => {
  const error = toStatus(wrapped("D1_ERROR: D1 DB is overloaded. Too many requests queued."), sent);
  expect(error).toBeInstanceOf(ConnectError);
  expect(error.rawMessage).toMatch(/send a read again .* before you send a write again/);
});

describe.each([
  ["a full storage", full[0] ?? "", 429, "the platform's storage is full"],
  ["a database that does not respond", unavailable[0] ?? "", 503, "the database does not respond"],
])("%s", (_, text, status, words) => {
  test("is reported to SCIM clients", async () => {
    const response = toScimErrorResponse(wrapped(text), sent);
    const body = await response.json();
    expect(response.status).toBe(status);
    expect(body).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: `${status}`,
      detail: expect.stringContaining(words),
    });
    expect(log).toHaveBeenCalledOnce();
  });

  test("is reported on the registry host, as UNAVAILABLE", async () => {
    const response = toRegistryErrorResponse(wrapped(text), undefined, "", sent);
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        errors: [
          {
            code: "UNAVAILABLE",
            message: expect.stringMatching(`^${words}`),
            detail: { requestId: "build-17" },
          },
        ],
      },
    ]);
  });

  test("is reported on the pages of a login", () => {
    expect(toLoginRefusal(wrapped(text), sent)).toEqual({
      status,
      reason: expect.stringContaining(words),
    });
  });
});

describe("the values of a query are not in the log or in any response", () => {
  const secret = "hunter2\nparams: of two lines";
  const query = "insert into scim_tokens (digest, note) values (?, ?)";
  const cause = new Error("D1_ERROR: UNIQUE constraint failed: scim_tokens.digest");
  const unstorable = new TypeError(
    `D1_TYPE_ERROR: Type 'object' not supported for value '${secret}'`,
  );

  test.each([
    ["of one that failed", new DrizzleQueryError(query, [secret, 1], cause)],
    ["of one that D1 cannot store", new DrizzleQueryError(query, [secret], unstorable)],
    [
      "of one behind another error",
      new Error("batch", { cause: new DrizzleQueryError(query, [secret]) }),
    ],
    ["of D1 itself", unstorable],
    ["of a value that is not an error", { secret }],
  ])("%s", async (_, thrown) => {
    const answers = [
      await toStatusResponse(toStatus(thrown, sent), new Headers()).text(),
      await toScimErrorResponse(thrown, sent).text(),
      await toRegistryErrorResponse(thrown, undefined, "", sent).text(),
      toLoginRefusal(thrown, sent).reason,
    ];
    const said = [...answers, ...log.mock.calls.flat()].join("\n");
    expect(said).not.toContain("hunter2");
    expect(said).not.toContain("of two lines");
  });

  test("but the statement, its cause and its origin are in the log", () => {
    toStatus(new DrizzleQueryError(query, [secret], cause), sent);
    const [[text]] = log.mock.calls as [[string]];
    expect(text).toContain(query);
    expect(text).toContain("caused by Error: D1_ERROR: UNIQUE constraint failed");
    expect(text).toContain("database_failure.test.ts");
  });
});
