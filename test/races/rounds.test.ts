/** The first known races, over plain HTTP: any number of rounds, and no damage in any of them. */
import { describe, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  newUser,
  roleUid,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { csafOf, moveOf, osvOf, vexOf } from "./fixtures.ts";
import {
  day,
  groupsBelow,
  importing,
  orphanRows,
  play,
  rounds,
  sharedRecordState,
  strayRecords,
  unexpectedStatuses,
} from "./rounds.ts";

const timeout = 60_000 + rounds * 3000;

const shared = (number: number) => osvOf("SHARED", day(number), "sample", `1.${number}`);

describe("parallel calls cause no damage", () => {
  test("parallel OSV imports that share a record leave the newest version, once", { timeout }, () =>
    play("OSV imports", async (at) => {
      const [organization, alone] = await Promise.all([newOrganization(), newOrganization()]);
      const load = importing(organization, "osvRecords");
      if (at % 2 === 0) await load({ records: [shared(1)] });
      // The same news in each, and in every other round also older and newer ones.
      const days = at % 4 < 2 ? [2, 2, 2, 2] : [2, 3, 4, 5];
      const answers = await Promise.all(
        days.map((number, one) =>
          load({ records: [shared(number), osvOf("NEW", day(1)), osvOf(`OWN-${one}`, day(1))] }),
        ),
      );
      const wrong = [...(await orphanRows(organization)), ...(await strayRecords(organization))];
      await load({ records: [shared(5)] });
      await importing(alone, "osvRecords")({ records: [shared(5)] });
      const [known, wanted] = await Promise.all([
        sharedRecordState(organization),
        sharedRecordState(alone),
      ]);
      const isNewest = JSON.stringify(known) === JSON.stringify(wanted);
      if (!isNewest) wrong.push("the newest, sent again, is not what is known");
      const again = [...(await orphanRows(organization)), ...(await strayRecords(organization))];
      return [...unexpectedStatuses(answers, 200, 409), ...wrong, ...again];
    }),
  );

  test(
    "parallel imports of OpenVEX and CSAF leave no event and no subject without the other",
    { timeout },
    () =>
      play("VEX imports", async (at) => {
        const organization = await newOrganization();
        const vex = importing(organization, "openVexDocuments");
        const csaf = importing(organization, "csafDocuments");
        const [known, unknown] = ["CVE-2026-3001", "CVE-2026-3002"];
        if (at % 2 === 0) await vex({ documents: [vexOf(known, 1, "affected")] });
        const news = { documents: [vexOf(known, 3, "fixed"), vexOf(unknown, 3, "fixed")] };
        const answers = await Promise.all([
          ...[vex(news), vex(news), vex({ documents: [vexOf(known, 2, "affected")] })],
          ...[csaf({ documents: [csafOf(known, 4)] }), csaf({ documents: [csafOf(unknown, 5)] })],
        ]);
        return [...unexpectedStatuses(answers, 200, 409), ...(await orphanRows(organization))];
      }),
  );

  test(
    "a tag that moves during an import of its moves points to the newest move",
    { timeout },
    () =>
      play("CreateTag and ImportTagMoves", async () => {
        const { uid, owner } = await newOrganization();
        const { token } = owner;
        const repo = await createResource(`/registry/v2/repos/${uid}`, token, { name: "repo" });
        const load = (...moves: object[]) =>
          callRest(`/registry/v2/tagMoves/${uid}:import`, { token, body: { moves } });
        await load(moveOf("repo", "latest", "zero", 0));
        const tag = { name: "latest", digest: fakeDigest("created") };
        const answers = await Promise.all([
          callRest(`/registry/v2/tags/${repo.uid}`, { token, body: tag }),
          load(moveOf("repo", "latest", "one", 10), moveOf("repo", "latest", "two", 20)),
          load(moveOf("repo", "latest", "three", 15)),
        ]);
        const moves = await sql<{ digest: string }>(
          "select digest from tag_moves where repo_uid = ? order by update_time",
          repo.uid,
        );
        const [row] = await sql<{ digest: string }>(
          "select digest from tags where parent = ?",
          repo.uid,
        );
        const isThere = row?.digest === moves.at(-1)?.digest;
        const isTwice = moves.some(({ digest }, at) => digest === moves[at - 1]?.digest);
        return [
          ...unexpectedStatuses(answers, 200, 409),
          ...(isThere ? [] : ["the tag is not where it last moved"]),
          ...(isTwice ? ["the tag moved to where it was"] : []),
        ];
      }),
  );

  test("the kind of an organization is that of all groups below it", {
    timeout,
  }, async () => {
    const { uid, owner } = await newOrganization();
    const { token } = owner;
    const below = await groupsBelow(uid);
    const kinds = ["ORG_KIND_STARTER", "ORG_KIND_CUSTOMER"];
    const patch = (group: string, body: object) =>
      callRest(`/iam/v2/groups/${group}`, { method: "PATCH", token, body });
    let kind = 0;
    await play("kind of an organization", async (at) => {
      const next = (at % 2) + 1;
      const description = `round ${at}`;
      const [changed, ...others] = await Promise.all([
        patch(uid, { kind: kinds[next - 1] }),
        ...[uid, ...below.slice(0, 3)].map((group) => patch(group, { description })),
      ]);
      if (changed.status === 200) kind = next;
      const strays = await sql(
        "select uid from groups where ancestor0 = ? and kind <> ?",
        uid,
        kind,
      );
      const wrong = strays.length > 0 ? [`${strays.length} groups are of another kind`] : [];
      return [...unexpectedStatuses([changed, ...others], 200, 409), ...wrong];
    });
  });

  test("all facts from parallel calls about a person are kept", { timeout }, () =>
    play("identity metadata", async () => {
      const { uid, token } = await newUser();
      const said = { company: "c", jobTitle: "j", product: "p" };
      const answers = await Promise.all(
        Object.entries(said).map(([name, value]) =>
          callRest("/iam/v2/identities:updateIdentityMetadata", {
            ...{ method: "PATCH", token, body: { identityMetadata: { [name]: value } } },
          }),
        ),
      );
      const [row] = await sql<{ company: string; metadata: string }>(
        `select company, metadata from identities
         join identity_metadata on identity_metadata.uid = identities.uid where identities.uid = ?`,
        uid,
      );
      const kept = { ...JSON.parse(row?.metadata ?? "{}"), company: row?.company };
      const accepted = Object.entries(said).filter((_, at) => answers[at]?.status === 200);
      const lost = accepted.filter(([name, value]) => kept[name] !== value);
      return [...unexpectedStatuses(answers, 200, 409), ...lost.map(([name]) => `${name} is lost`)];
    }),
  );

  test("no role binding remains of an identity that was deleted meanwhile", { timeout }, () =>
    play("role bindings of a deleted identity", async () => {
      const organization = await newOrganization();
      const { uid, owner } = organization;
      const { token } = owner;
      const { uid: identityUid } = await newIdentity(organization, undefined);
      const [editor, viewer] = await Promise.all([roleUid("editor"), roleUid("viewer")]);
      const bind = (roleUid: string) =>
        callRest(`/iam/v2/roleBindings/${uid}`, { token, body: { identityUid, roleUid } });
      const answers = await Promise.all([
        bind(editor),
        callRest(`/iam/v2/identities/${identityUid}`, { method: "DELETE", token }),
        bind(viewer),
      ]);
      const left = await sql("select uid from role_bindings where identity_uid = ?", identityUid);
      return [
        ...unexpectedStatuses(answers, 200, 400, 409),
        ...left.map(() => "a role binding has no identity"),
      ];
    }),
  );

  test("of two deletions of a tag, one succeeds, and there is one event", { timeout }, () =>
    play("two deletions of a tag", async () => {
      const { uid, owner } = await newOrganization();
      const { token } = owner;
      const repo = await createResource(`/registry/v2/repos/${uid}`, token, { name: "repo" });
      const given = { name: "latest", digest: fakeDigest("one") };
      const tag = await createResource(`/registry/v2/tags/${repo.uid}`, token, given);
      const remove = () => callRest(`/registry/v2/tags/${tag.uid}`, { method: "DELETE", token });
      const answers = await Promise.all([remove(), remove()]);
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
      const events = await sql(
        "select id from events where subject = ? and type like '%tag.deleted.v1'",
        tag.uid,
      );
      return [
        ...(statuses.join() === "200,404" ? [] : [`answered ${statuses}`]),
        ...(events.length === 1 ? [] : [`${events.length} events`]),
      ];
    }),
  );
});
