/** A repository whose builds expire, for the tests of `platformctl rules plan` and the commands after it. */
import { movedAgo } from "../../distribution/moved_ago.ts";
import { waitForPulls } from "../../registry/expiry/expiring_repo.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { type CommandOptions, commandsOf } from "../command.ts";

/** Long enough ago for the rule. */
const oldHours = 40 * 24;

/** An organization with the repository `shop`, where tags with the name `build-*` expire after 30 days. */
export interface ExpiringRepo {
  organization: Organization;
  /** The uids of the repository and of the rule. */
  repo: string;
  rule: string;
  /** Runs platformctl as the owner, in the organization. */
  run(line: string[], options?: CommandOptions): ReturnType<Awaited<ReturnType<typeof commandsOf>>>;
  /** Pushes an image with a tag that has not moved for 40 days. Returns its digest. */
  pushOld(tag: string): Promise<string>;
}

/** Creates the repository. `more` has other conditions of its rule. */
export async function newExpiringRepo(more: object = {}): Promise<ExpiringRepo> {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const { uid: repo } = await createResource(`/registry/v2/repos/${uid}`, owner.token, {
    name: "shop",
  });
  const { uid: rule } = await createResource(`/registry/v2/tagRules/${repo}`, owner.token, {
    ...{ name: "builds", includeTags: ["build-*"], expire: { unmovedDays: 30, ...more } },
  });
  const platformctl = await commandsOf(organization);
  return {
    ...{ organization, repo, rule },
    run: (line, { env, ...options } = {}) =>
      platformctl(line, { ...options, env: { PLATFORM_GROUP: uid, ...env } }),
    pushOld: (tag) => movedAgo(organization, "shop", tag, oldHours),
  };
}

/** Lets many tags point to a digest since 40 days ago: `build-0` and so on. */
export async function importOld(
  { organization }: ExpiringRepo,
  digest: string,
  count: number,
): Promise<void> {
  const updateTime = new Date(Date.now() - oldHours * 3_600_000).toISOString();
  const moves = Array.from({ length: count }, (_, index) => ({
    ...{ repo: "shop", tag: `build-${index}`, digest, updateTime },
  }));
  const path = `/registry/v2/tagMoves/${organization.uid}:import`;
  await createResource(path, organization.owner.token, { moves });
}

/** Makes a plan that can be carried out, and returns its uid. */
export async function plan({ run }: ExpiringRepo): Promise<string> {
  const { out, err } = await run(["rules", "plan", "shop", "--json"]);
  if (err !== "") throw new Error(err);
  const { uid } = JSON.parse(out).plan;
  await waitForPulls(uid);
  return uid;
}
