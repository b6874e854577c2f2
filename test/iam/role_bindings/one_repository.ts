/** An organization with a repository in its deepest group, an identity with a role on only that one, and other repositories. */
import { sbomContent } from "../../contract/requests.ts";
import { newImageOf, pushImage } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";

interface Repository {
  uid: string;
  /** The name of its image. */
  name: string;
  digest: string;
}

async function newRepository(
  { owner }: Organization,
  group: string,
  name: string,
  prefix: string,
): Promise<Repository> {
  const { uid } = await createResource(`/registry/v2/repos/${group}`, owner.token, { name });
  const image = `${prefix}/${name}`;
  const target = { name: image, token: await registryToken(owner.uid) };
  const { digest } = await pushImage(target, "latest", newImageOf({}));
  const report = packedReport(grypeReport([matchOf("CVE-2026-1", "High")]));
  for (const [kind, content] of Object.entries({ sboms: sbomContent(name), vulnReports: report })) {
    await createResource(`/registry/v2/${kind}/${uid}`, owner.token, { digest, content });
  }
  await sql("update tags set deprecated = 1 where parent = ?", uid);
  return { uid, name: image, digest };
}

/**
 * `path` has the group at each level. `others` are repositories next to `own`, above it, and in an organization of someone
 * else. `bot` has the role `viewer` on `own`, and `pull` is its token for the registry.
 */
export async function newOneRepository() {
  const organization = await newOrganization();
  const { token } = organization.owner;
  const path = [organization.uid];
  for (const name of ["one", "two", "three", "four"]) {
    const parent = path.at(-1) ?? "";
    path.push((await createResource(`/iam/v2/groups/${parent}`, token, { name })).uid);
  }
  const deepest = path.at(-1) ?? "";
  const prefix = `${organization.uid}/one/two/three/four`;
  const foreign = await newOrganization();
  const own = await newRepository(organization, deepest, "own", prefix);
  const others = [
    await newRepository(organization, deepest, "other", prefix),
    await newRepository(organization, organization.uid, "above", organization.uid),
    await newRepository(foreign, foreign.uid, "foreign", foreign.uid),
  ];
  const bot = await newIdentity(organization, "viewer", { bindAt: own.uid });
  return { organization, token, path, own, others, bot, pull: await registryToken(bot.uid) };
}

export type OneRepository = Awaited<ReturnType<typeof newOneRepository>>;
