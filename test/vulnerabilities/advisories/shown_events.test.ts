import { beforeAll, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let advisory: string;

beforeAll(async () => {
  organization = await newOrganization();
  advisory = `${organization.uid}/f00a000000000001`;
  await sql(
    `insert into advisories (uid, create_time, update_time, advisory_id, author, artifact_name, artifact_type,
       artifact_architecture, component_name, component_location, component_type, origin, aliases, severities)
     values (?, 1, 1, 'ADV-1', '', 'name', '', '', '', '', '', '', '[]', '[]')`,
    advisory,
  );
});

const insert = (step: number, author: string) =>
  sql(
    `insert into advisory_events (uid, advisory_uid, create_time, update_time, author, review_state, type, detail)
     values (?1 || '/f00a00000000000' || ?2, ?1, ?2, ?2, ?3, 2, 3, '{"fixedVersion":"1.0"}')`,
    advisory,
    String(step),
    author,
  );

/** The authors of the events that the API shows, and whether the row of the advisory has them. */
async function shown() {
  const { token } = organization.owner;
  const query = `uidp.descendants_of=${organization.uid}`;
  const { body } = await callRest(`/vulnerabilities/v2/advisories?${query}`, { token });
  const [row] = await sql<{ kept: number }>(
    "select shown_events is not null as kept from advisories where uid = ?",
    advisory,
  );
  const authors = (body.advisories[0].events ?? []).map(({ author }: { author: string }) => author);
  return [authors, row?.kept];
}

describe("the events in the row of an advisory", () => {
  test("follow each change of an event", async () => {
    expect(await shown()).toEqual([[], 0]);
    await insert(1, "first");
    expect(await shown()).toEqual([["first"], 1]);
    await insert(2, "second");
    expect(await shown()).toEqual([["first", "second"], 1]);
    await sql(
      "update advisory_events set author = 'changed' where uid = ? || '/f00a000000000001'",
      advisory,
    );
    expect(await shown()).toEqual([["changed", "second"], 1]);
    await sql("delete from advisory_events where uid = ? || '/f00a000000000002'", advisory);
    expect(await shown()).toEqual([["changed"], 0]);
    await insert(3, "third");
    expect(await shown()).toEqual([["changed", "third"], 1]);
  });

  test("are left out if they are long, and are then read from their own table", async () => {
    const long = "x".repeat(3_000);
    await insert(4, long);
    expect(await shown()).toEqual([["changed", "third", long], 0]);
    await sql("delete from advisory_events where uid = ? || '/f00a000000000004'", advisory);
    expect(await shown()).toEqual([["changed", "third"], 0]);
  });
});
