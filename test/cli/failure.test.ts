import { expect, test } from "vitest";
import { exitCodes, failureJson, failureText, toFailure } from "../../cli/failure.ts";
import { type ErrorInit, toError, Unreachable } from "../../client/errors.ts";

const url = "https://api.example.com";
const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "X", domain: "y" };
const errorInit = (change: Partial<ErrorInit>): ErrorInit => ({
  code: "NOT_FOUND",
  status: 404,
  message: "No such thing",
  details: [info],
  ...change,
});
const failed = (change: Partial<ErrorInit>) => toFailure(toError(errorInit(change)), url);

test("an error of the platform keeps its code, text and details", () => {
  const { exitCode, code, message, details } = failed({});
  expect({ exitCode, code, message, details }).toEqual({
    exitCode: exitCodes.refused,
    code: "NOT_FOUND",
    message: "No such thing",
    details: [info],
  });
  expect(JSON.parse(failureJson(failed({})))).toEqual({ error: { code, message, details } });
});

test.each([
  ["no server responds", new Unreachable(`${url} did not answer within 5 ms.`)],
  [
    "a proxy responds for it",
    toError(errorInit({ code: "UNAVAILABLE", status: 502, details: [] })),
  ],
  ["the network fails", new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })],
])("if %s, the platform is unreachable", (_, error) => {
  const failure = toFailure(error, url);
  expect([failure.exitCode, failure.code]).toEqual([exitCodes.unreachable, "UNREACHABLE"]);
  expect(failureText(failure)).toMatch(/PLATFORM_URL=/);
});

test.each([
  ["by the platform", { details: [info] }],
  ["by its registry", { details: [], reason: "UNAVAILABLE" }],
])("a temporary failure, reported as %s, is shown", (_, change) => {
  const failure = failed({ code: "UNAVAILABLE", status: 503, ...change });
  expect([failure.exitCode, failure.code]).toEqual([exitCodes.refused, "UNAVAILABLE"]);
});

test("an unexpected error is thrown again", () => {
  const bug = new RangeError("out of it");
  expect(() => toFailure(bug, url)).toThrow(bug);
});

test.each([
  ["UNAUTHENTICATED", /platformctl auth login --org NAME$/m],
  ["PERMISSION_DENIED", /platformctl whoami$/m],
] as const)("%s names the next step, unless the message does", (code, step) => {
  expect(failureText(failed({ code }))).toMatch(step);
  const message = "No.\nFirst: platformctl something";
  expect(failureText(failed({ code, message }))).toBe(
    `error: No. (${code})\nFirst: platformctl something\n`,
  );
});

test("violations are listed if the message does not contain them", () => {
  const violation = { field: "name", description: "name is too long" };
  const bad = {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [violation],
  };
  const refused: Partial<ErrorInit> = { code: "INVALID_ARGUMENT", status: 400, details: [bad] };
  expect(failureText(failed(refused))).toContain("\n  name: name is too long\n");
  const said = failureText(failed({ ...refused, message: "Invalid: name is too long" }));
  expect(said).toBe("error: Invalid: name is too long (INVALID_ARGUMENT)\n");
});

test("a full disk is reported as full", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
  });
  expect(failureText(toFailure(error))).toMatch(/^error: The disk is full: .* \(DISK\)\n$/);
});

test("an error shows the id of its request, which only a header of the registry host has", () => {
  const request = { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "build-17" };
  const ofApi = failed({ details: [info, request], requestId: "build-17" });
  expect(failureText(ofApi)).toMatch(/\n {2}request id: build-17\n$/);
  const ofRegistry = failed({ details: [], reason: "NAME_UNKNOWN", requestId: "build-17" });
  expect(failureText(ofRegistry)).toMatch(/\n {2}request id: build-17\n$/);
  expect(JSON.parse(failureJson(ofRegistry)).error.details).toEqual([request]);
  expect(failureText(failed({}))).not.toContain("request id");
});

test("a rule is said in words, and the regular expression is only for programs", () => {
  const message =
    'Invalid argument: uid: uid must be a uid; you sent "x" (uid must match "^[0-9a-f]{40}$")';
  const failure = failed({ code: "INVALID_ARGUMENT", message });
  expect(failureText(failure).split("\n")[0]).toBe(
    'error: Invalid argument: uid: uid must be a uid; you sent "x" (INVALID_ARGUMENT)',
  );
  expect(JSON.parse(failureJson(failure)).error.message).toBe(message);
});
