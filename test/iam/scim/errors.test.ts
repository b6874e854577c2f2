/** Unexpected errors, and the SCIM responses and log lines for them. */
import { expect, onTestFinished, test, vi } from "vitest";
import { clientLeft } from "../../../src/aip/errors.ts";
import { toScimErrorResponse } from "../../../src/iam/scim/errors.ts";

test("a client that disconnects during its request causes no error in the platform's log", () => {
  const log = vi.spyOn(console, "error");
  onTestFinished(() => log.mockRestore());
  expect(toScimErrorResponse(clientLeft(), new Headers()).status).toBe(499);
  expect(log).not.toHaveBeenCalled();
});
