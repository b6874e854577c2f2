import { expect, test, vi } from "vitest";
import { newWorks } from "../../src/rpc/runtime.ts";

test("work after a response that fails is logged, and other work is done", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const promises: Promise<unknown>[] = [];
  const works = newWorks({ waitUntil: (promise) => promises.push(promise) });
  let isDone = false;
  works.after(async () => {
    throw new Error("the rates cannot be read");
  });
  works.after(async () => {
    isDone = true;
  }, "succeeded");
  works.start({ hasSucceeded: true });
  await Promise.all(promises);
  expect(isDone).toBe(true);
  expect(warned.mock.calls.flat().join()).toContain("the rates cannot be read");
  warned.mockRestore();
});
