import { expect, test, vi } from "vitest";
import { userKind, userSchema } from "../../../src/iam/scim/attributes.ts";
import { toResourceValues } from "../../../src/iam/scim/values.ts";
import { checkBody } from "../../../src/iam/scim/well_formed.ts";

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, "1"]));
const long = "L".repeat(100_000);

test.each<[string, object]>([
  ["a long name over many members", { [long]: members(10_000) }],
  [
    "a long name over many lists",
    { [long]: Array.from({ length: 10_000 }, () => [{ value: "" }]) },
  ],
  ["many members of a value", { emails: [members(10_000)] }],
  ["many unknown members", members(10_000)],
  ["many values", { emails: Array.from({ length: 500 }, () => ({ value: "v", TYPE: "t" })) }],
])("%s: as much text is read as the body has", (_, user) => {
  const body = { schemas: [userSchema], userName: "u", ...user };
  const size = JSON.stringify(body).length;
  let characters = 0;
  const counted = (method: "toLowerCase" | "isWellFormed") => {
    const real = String.prototype[method] as () => never;
    return vi.spyOn(String.prototype, method).mockImplementation(function (this: string) {
      characters += this.length;
      return real.call(this);
    });
  };
  const spies = [counted("toLowerCase"), counted("isWellFormed")];
  try {
    checkBody(body);
    toResourceValues(body, userKind);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  expect(characters).toBeGreaterThan(0);
  expect(characters).toBeLessThan(3 * size);
});

test.each([
  [16, true],
  [17, false],
])("a body of %i levels is accepted: %s", (levels, isTaken) => {
  const body = JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  const check = () => checkBody(body);
  if (isTaken) check();
  else expect(check).toThrow("nested more than 16 levels deep");
});
