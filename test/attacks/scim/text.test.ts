/**
 * Text that is not well-formed Unicode in every place of a provisioning client's request, and the responses.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type Client, newClient } from "../../iam/scim/client.ts";
import { sql } from "../../world/platform.ts";
import {
  filterRequest,
  listRequest,
  patchText,
  patchUserRequest,
  postText,
  refusedRequests,
  type ScimAttack,
  type ScimRequest,
  searchRequest,
  victimId,
} from "./requests.ts";

let client: Client;
beforeAll(async () => {
  client = await newClient();
  await sql(
    `insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
     values (?, 'plain', 'plain', '{}', 1, 1)`,
    `${client.idp}/${victimId}`,
  );
});

const half = "\\ud800";
const text: ScimAttack[] = [
  ...refusedRequests(400, "invalidValue", {
    "half a surrogate pair in userName": postText(`"userName": "n${half}"`),
    "a second half of a surrogate pair": postText(`"title": "\\udc00"`),
    "half of one in a value of a list": postText(`"emails": [{"value": "${half}"}]`),
    "half of one in an unknown attribute": postText(`"shoe": "${half}"`),
    "half of one in the name of an attribute": postText(`"${half}": 1`),
    "half of one in a schema": postText(`"schemas": ["${half}"]`),
    "half of one in the value of an operation": patchText(
      `{"op": "add", "path": "title", "value": "${half}"}`,
    ),
    "half of one in the value of an operation without a path": patchText(
      `{"op": "add", "value": {"title": "${half}"}}`,
    ),
    "half of one in a path": patchText(`{"op": "remove", "path": "${half}"}`),
    "half of one in the filter of a path": patchUserRequest(victimId, {
      op: "remove",
      path: `emails[value eq "${half}"]`,
    }),
    "half of one in a filter": filterRequest(`title eq "${half}"`),
    "half of one within the brackets of a filter": filterRequest(`emails[value eq "${half}"]`),
    "half of one in a search": searchRequest(`"filter": "title eq \\"${half}\\""`),
    "half of one in the attributes of a search": searchRequest(`"attributes": ["${half}"]`),
    "bytes that are not UTF-8 in a filter": listRequest("filter=title%20eq%20%22%ED%A0%80%22"),
    "bytes that are not UTF-8 in attributes": ["GET", `/Users/${victimId}?attributes=%FF`],
    "bytes that are not UTF-8 in an id": ["GET", "/Schemas/%ED%A0%80"],
  }),
];

const stored = () => sql("select * from scim_users where parent = ?", client.idp);

test.each(text)("%s", async (_, [method, path, body], status, scimType) => {
  const before = await stored();
  const answer = await client.ask(method, path, body);
  expect([answer.status, answer.body.scimType]).toEqual([status, scimType]);
  expect(await stored()).toEqual(before);
});

describe("the error about a text names the attribute", () => {
  test.each<[string, ScimRequest]>([
    ["userName", postText(`"userName": "n${half}"`)],
    ["emails.value", postText(`"emails": [{"value": "${half}"}]`)],
    ["title", patchText(`{"op": "add", "path": "title", "value": "${half}"}`)],
    ["name.givenName", patchText(`{"op": "add", "value": {"name": {"givenName": "${half}"}}}`)],
    ["Operations.path", patchText(`{"op": "remove", "path": "${half}"}`)],
    ["title", filterRequest(`title eq "${half}"`)],
    ["filter", listRequest("filter=title%20eq%20%22%ED%A0%80%22")],
    ["excludedAttributes", listRequest("count=1&excludedAttributes=%ED%A0%80")],
    ["id", ["GET", "/Schemas/%ED%A0%80"]],
  ])("%s", async (name, [method, path, body]) => {
    const { body: refusal } = await client.ask(method, path, body);
    expect(refusal.detail).toBe(`${name} must be well-formed Unicode`);
  });
});
