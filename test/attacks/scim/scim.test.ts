/** Requests of a provisioning client that cost more than they are worth, and their responses. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Client, newClient, patchSchema, userSchema } from "../../iam/scim/client.ts";
import { costOf, sql } from "../../world/platform.ts";
import {
  add,
  filterRequest,
  listRequest,
  nestedBrackets,
  patchText,
  patchUserRequest,
  postText,
  postUserRequest,
  putUserRequest,
  refusedRequests,
  remove,
  repeatText,
  type ScimAttack,
  searchRequest,
  victimId,
} from "./requests.ts";

/** The id of a user with 13,000 email addresses, more than a call stores. */
const crowd = "00000000000000aa";

/** The same provider has 100 users of 200 KB each. */
const large = { count: 100, attributes: { emails: emails(2000, `@${"x".repeat(80)}`) } };

let client: Client;
beforeAll(async () => {
  client = await newClient();
  await insert(crowd, { emails: emails(13_000) });
  await insert(victimId, { title: "plain" });
  await sql(
    `insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
     select ? || '/' || printf('%016x', 4096 + value), 'u' || value, 'u' || value, ?, value, 1 from json_each(?)`,
    client.idp,
    JSON.stringify(large.attributes),
    JSON.stringify(Array.from({ length: large.count }, (_, index) => index)),
  );
});

const insert = (id: string, attributes: object) =>
  sql(
    `insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
     values (?, ?, ?, ?, 1, 1)`,
    `${client.idp}/${id}`,
    id,
    id,
    JSON.stringify(attributes),
  );

function emails(count: number, end = "") {
  return Array.from({ length: count }, (_, index) => ({ value: `${index}${end}` }));
}

const values: ScimAttack[] = [
  ...refusedRequests(400, "invalidValue", {
    "add of 12,000 e-mails to 13,000": patchUserRequest(crowd, add("emails", emails(12_000, "b"))),
    "add of 12,000 e-mails without a path": patchUserRequest(crowd, {
      op: "add",
      value: { emails: emails(12_000, "b") },
    }),
    "removal of 12,000 e-mails by their likes": patchUserRequest(
      crowd,
      remove("emails", emails(12_000, "b")),
    ),
    "add of one e-mail to 13,000": patchUserRequest(crowd, add("emails", { value: "one more" })),
    "add of one e-mail to 13,000 by a filter without a match": patchUserRequest(
      crowd,
      add('emails[type eq "new"].value', "one more"),
    ),
    "add of 300 e-mails twice": patchUserRequest(
      victimId,
      add("emails", emails(300, "a")),
      add("emails", emails(300, "b")),
    ),
    "POST of 501 e-mails": postUserRequest({ userName: "new", emails: emails(501) }),
    "PUT of 501 e-mails": putUserRequest({ emails: emails(501) }),
    "POST of a user of 65 KiB": postUserRequest({ userName: "new", title: "x".repeat(65 * 1024) }),
    "PUT of a user of 65 KiB": putUserRequest({ title: "x".repeat(65 * 1024) }),
    "PATCH to a user of 65 KiB": patchUserRequest(victimId, add("title", "x".repeat(65 * 1024))),
    "a text of 200 KB in each of 500 values": patchUserRequest(
      victimId,
      add("emails", emails(500)),
      { op: "replace", path: "emails.display", value: "x".repeat(200_000) },
    ),
  }),
  ...refusedRequests(413, undefined, {
    "a body of more than 256 KiB": postText(`"title": "${"x".repeat(256 * 1024)}"`),
  }),
];

const operations: ScimAttack[] = [
  ...refusedRequests(413, undefined, {
    "201 operations": patchUserRequest(victimId, ...repeatText(201, "").map(() => remove("title"))),
    "20,000 members of one value without a path": patchUserRequest(victimId, {
      op: "add",
      value: Object.fromEntries(repeatText(20_000, "").map((_, index) => [`e${index}`, 1])),
    }),
    "200 filters of 25 comparisons over 13,000 values": patchUserRequest(
      crowd,
      ...repeatText(200, "").map((_, index) => ({
        op: "replace",
        path: `emails[${repeatText(24, 'value co "z"').join(" or ")} or value eq "${index}"].type`,
        value: "w",
      })),
    ),
    "200 changes of every one of 13,000 values": patchUserRequest(
      crowd,
      ...repeatText(200, "").map(() => add("emails.type", "w")),
    ),
  }),
  ...refusedRequests(400, "invalidPath", {
    "a path of 1,025 characters": patchUserRequest(
      victimId,
      remove(`emails[value eq "${"x".repeat(1008)}"]`),
    ),
  }),
  ...refusedRequests(400, "invalidFilter", {
    "a path with 26 comparisons": patchUserRequest(
      victimId,
      remove(`emails[${repeatText(26, "type pr").join(" or ")}]`),
    ),
  }),
];

const nesting: ScimAttack[] = [
  ...refusedRequests(400, "invalidSyntax", {
    "100,000 lists in one another in a user": postText(`"x": ${nestedBrackets(100_000)}`),
    "100,000 lists in one another as e-mails": postText(`"emails": ${nestedBrackets(100_000)}`),
    "50,000 objects in one another": postText(
      `"x": ${'{"":'.repeat(50_000)}1${"}".repeat(50_000)}`,
    ),
    "100,000 lists in one another as the value of an operation": patchText(
      `{"op": "add", "value": ${nestedBrackets(100_000)}}`,
    ),
    "100,000 lists in one another as the path of an operation": patchText(
      `{"op": "add", "value": 1, "path": ${nestedBrackets(100_000)}}`,
    ),
    "100,000 lists in one another as a filter": searchRequest(
      `"filter": ${nestedBrackets(100_000)}`,
    ),
  }),
  ...refusedRequests(400, "invalidValue", {
    "a list as a filter": searchRequest('"filter": [["id pr"]]'),
    "an object as a count": searchRequest('"count": {}'),
  }),
  ...refusedRequests(400, "invalidFilter", {
    "100,000 parentheses in a filter": searchRequest(`"filter": "${"(".repeat(100_000)}"`),
    "4,000 parentheses in a filter": filterRequest("(".repeat(4000)),
    "1,000 times not in a filter": filterRequest("not(".repeat(1000)),
    "1,000 brackets in a filter": filterRequest("emails[".repeat(500)),
    "100 parentheses in a path": patchUserRequest(
      victimId,
      remove(`emails[${"(".repeat(100)}type pr${")".repeat(100)}]`),
    ),
  }),
];

const lists: ScimAttack[] = [
  ...refusedRequests(400, "tooMany", {
    "25 comparisons over 100 users of 200 KB": filterRequest(
      repeatText(25, 'emails.value co "z"').join(" or "),
    ),
    "24 comparisons within brackets over 100 users of 200 KB": filterRequest(
      `emails[${repeatText(24, 'value co "z"').join(" or ")}]`,
    ),
    "24 comparisons over 100 users of 200 KB in addition to a key of one": filterRequest(
      `userName eq "u1" or ${repeatText(24, 'title co "z"').join(" or ")}`,
    ),
  }),
  ...refusedRequests(400, "invalidFilter", {
    "26 comparisons": filterRequest(repeatText(26, "title pr").join(" or ")),
    "a filter of 4,097 characters": filterRequest(`title eq "${"x".repeat(4086)}"`),
    "co of 251 characters": filterRequest(`title co "${"x".repeat(251)}"`),
  }),
  ...refusedRequests(400, "invalidValue", {
    "20,000 attributes in a search": searchRequest(
      `"attributes": ["${repeatText(20_000, "emails").join('", "')}"]`,
    ),
    "attributes of 8,193 characters": listRequest(`attributes=${"x".repeat(8193)}`),
    "200 attributes and one more of a list": listRequest(
      `attributes=${repeatText(201, "emails.value").join()}`,
    ),
    "201 excluded attributes of a user": [
      "GET",
      `/Users/${crowd}?excludedAttributes=${repeatText(201, "emails.value").join()}`,
    ],
    "201 attributes of a user that would be changed": [
      "PATCH",
      `/Users/${victimId}?attributes=${repeatText(201, "title").join()}`,
      { schemas: [patchSchema], Operations: [remove("title")] },
    ],
    "201 attributes of a user that would be made": [
      "POST",
      `/Users?attributes=${repeatText(201, "title").join()}`,
      { schemas: [userSchema], userName: "new" },
    ],
  }),
];

/** The data that attacks must not change. */
const stored = () =>
  sql(
    "select uid, user_name, octet_length(attributes) as bytes, update_time from scim_users where parent = ?",
    client.idp,
  );

describe.each([
  ["values", values],
  ["operations", operations],
  ["nesting", nesting],
  ["lists", lists],
])("%s", (_, attacks) => {
  test.each(attacks)("%s", async (_name, [method, path, body], status, scimType) => {
    const before = await stored();
    const answer = await client.ask(method, path, body);
    expect([answer.status, answer.body.scimType, answer.body.status]).toEqual([
      status,
      scimType,
      String(status),
    ]);
    // Sizes are looked up once for each user, and the credential.
    expect(costOf(answer).rowsRead).toBeLessThan(large.count + 10);
    expect(await stored()).toEqual(before);
  });
});
