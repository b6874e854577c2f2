/**
 * Names of images at other registries, for which a mirror answers (the setting MIRRORS). containerd sends the host of the
 * image as `?ns=docker.io`. Docker's `registry-mirrors` are only for Docker Hub, and send no host.
 */
import { isUid } from "../../aip/uid_path.ts";
import { namedUids, verifiedInEach } from "../../auth/verified_names.ts";
import type { RegistryContext } from "../context.ts";
import {
  type ImageName,
  isInGrammar,
  type RepositoryPath,
  selectRepositoryPath,
  toImageName,
  toRepositoryPath,
} from "../repository.ts";
import { findMirror } from "./setting.ts";

/** The host of images for which a client does not say one. */
const defaultHost = "docker.io";

type Context = Pick<RegistryContext, "config" | "db" | "databases">;

/**
 * Reads a percent-decoded name. `ns` is the host that the client says, or empty. Undefined if no repository can have the
 * name.
 */
export async function mirroredName(
  context: Context,
  name: string,
  ns: string,
): Promise<ImageName | undefined> {
  const image = toImageName(name);
  const { mirrors } = context.config;
  if (mirrors.size === 0 || !isInGrammar(name)) return image;
  const mirror = mirrors.get(ns || defaultHost);
  const isOfMirror = mirror !== undefined && name.startsWith(`${mirror.repository}/`);
  if (!mirror || isOfMirror || (image && (await isOwn(context, image, ns))))
    return image && { ...image, openMirror: openAbove(context, name) };
  const mapped = toImageName(`${mirror.repository}/${name}`);
  return mapped && { ...mapped, asked: name, openMirror: openAbove(context, mapped.full) };
}

/** The open mirror above a name. */
const openAbove = ({ config }: Context, name: string): string | undefined =>
  [...config.mirrors.values()].find(
    ({ repository, anonymous }) => anonymous && name.startsWith(`${repository}/`),
  )?.repository;

/** Whether an image comes from the open mirror above its name. Another mirror there can have a password of its own. */
export async function isFromOpenMirror(
  context: Pick<RegistryContext, "config" | "db">,
  { full, openMirror }: ImageName,
  path: RepositoryPath,
): Promise<boolean> {
  if (openMirror === undefined) return false;
  const mirror = await findMirror(context, path, "");
  if (!mirror) return false;
  // An image has its mirror in its own group.
  const group = full.slice(0, full.length - path.rest.length);
  return `${group}${mirror.holder.name}` === openMirror;
}

/**
 * Whether a name is one of this registry. With a host, it must lead to another mirror of that host (`override_path` of
 * containerd). An organization here can have the name of one at that host.
 */
async function isOwn(context: Context, image: ImageName, ns: string): Promise<boolean> {
  const { namespace } = image;
  const isTaken = isUid(namespace) || (await isVerified(context, namespace));
  return isTaken && (ns === "" || (await isMirrorOf(context, image, ns)));
}

async function isMirrorOf(context: Context, image: ImageName, host: string): Promise<boolean> {
  const [uid = ""] = await namedUids(context.databases, [image.namespace]);
  const db = context.databases.databaseOf(uid);
  const path = toRepositoryPath(await selectRepositoryPath(db, image));
  const mirror = await findMirror({ ...context, db }, path, "");
  return mirror?.address.startsWith(`${host}/`) ?? false;
}

/** How long an isolate remembers whether an organization has a name, in milliseconds. */
const rememberedFor = 30_000;
const remembered = new Map<string, { isTaken: boolean; until: number }>();

async function isVerified({ databases }: Context, name: string): Promise<boolean> {
  const known = remembered.get(name);
  if (known && known.until > Date.now()) return known.isTaken;
  const isTaken = (await verifiedInEach(databases, [name])).length > 0;
  if (remembered.size > 1_000) remembered.clear();
  remembered.set(name, { isTaken, until: Date.now() + rememberedFor });
  return isTaken;
}
