/**
 * Texts that are not Unicode, or that end inside SQLite: every entry point refuses them and names the field.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, callRest } from "../../world/platform.ts";
import { inProtobuf, newTextTarget, type TextTarget, textEntryPoints } from "./entry_points.ts";

let place: TextTarget;
beforeAll(async () => {
  place = await newTextTarget();
});

/** The field and the text of the error. Connect returns the field in protobuf. */
function refusalOf({ body }: Answer): string {
  const details = (body.details ?? []) as {
    type?: string;
    value?: string;
    fieldViolations?: { field: string }[];
  }[];
  const [named] = details.flatMap(({ type = "", value = "", fieldViolations }) =>
    type.endsWith("BadRequest") ? [atob(value)] : (fieldViolations ?? []).map(({ field }) => field),
  );
  return `${named}: ${body.message}`;
}

const surrogate = "contains half of a surrogate pair";
const nul = "contains the character NUL (U+0000)";

describe.each([
  ["half of a surrogate pair", "a\ud800b", surrogate],
  ["its other half", "\udfff", surrogate],
  ["NUL", "a\0b", nul],
])("%s is rejected", (_, bad, says) => {
  test.each(textEntryPoints)("by %s", async (_door, send, names) => {
    const answer = await send(place, bad);
    const refusal = refusalOf(answer);
    expect([answer.status, refusal]).toEqual([400, expect.stringContaining(says)]);
    expect(refusal).toContain(names);
  });
});

/** Texts in an address, with percent-encoding. */
const addresses: [what: string, path: string, field: string][] = [
  ["half of a surrogate pair in a query", "/registry/v2/repos?name=%ED%A0%80", "query"],
  ["NUL in a query", "/registry/v2/repos?name=a%00", "name"],
  ["NUL in a page token", "/registry/v2/repos?page_token=a%00", "page_token"],
  ["half of a surrogate pair in a path", "/registry/v2/repos/%ED%A0%80", "uid"],
  ["NUL in a path", "/registry/v2/repos/a%00", "uid"],
  ["half of a surrogate pair in the query of an exchange", "/sts/exchange?aud=%ED%A0%80", "query"],
  ["NUL in the query of an exchange", "/sts/exchange?aud=a%00", "aud[0]"],
];

test.each(addresses)("%s is rejected", async (_, path, field) => {
  const answer = await callRest(path, { token: place.organization.owner.token });
  expect([answer.status, refusalOf(answer)]).toEqual([400, expect.stringContaining(`${field}: `)]);
});

test.each([
  ["%ED%A0%80", "query"],
  ["a%00", "aud[0]"],
])("%s in the form of an exchange is rejected", async (text, field) => {
  const answer = await callRest("/sts/exchange", {
    token: place.organization.owner.token,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `aud=${text}`,
  });
  expect([answer.status, refusalOf(answer)]).toEqual([400, expect.stringContaining(`${field}: `)]);
});

test.each(["idp_id", "scope", "invite", "identity"])("NUL in %s of a login", async (name) => {
  const answer = await callRest(
    `/oauth?idp_id=a&${name}=a%00`.replace("idp_id=a&idp_id", "idp_id"),
  );
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(`${name} ${nul}`)]);
});

test("protobuf with half of a surrogate pair is not a message", async () => {
  const { connect, grpcWeb } = await inProtobuf(place, [0xed, 0xa0, 0x80]);
  expect(connect).toEqual([400, expect.stringContaining("body must be a binary message")]);
  expect(grpcWeb).toEqual(["3", expect.stringContaining("body must be a binary message")]);
});

test("NUL in protobuf is rejected", async () => {
  const { connect, grpcWeb } = await inProtobuf(place, [97, 0]);
  expect(connect).toEqual([400, expect.stringContaining(`description ${nul}`)]);
  expect(grpcWeb).toEqual(["3", expect.stringContaining(`description ${nul}`)]);
});
