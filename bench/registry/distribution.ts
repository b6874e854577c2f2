/** CNCF Distribution with the content of this family, if its program is on this machine. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  makeCertificate,
  makeToken,
  type Program,
  startDistribution,
} from "../peers/distribution.ts";
import { type ImageTarget, pushSmallImage } from "./client.ts";

/** A running registry with one image. */
export interface OpenRegistry {
  name: string;
  target: ImageTarget;
  /** The digest of the manifest of the tag. */
  digest: string;
  stop(): Promise<void>;
}

const image = "bench/image";

/** Starts one program on a new folder, and pushes an image to it. */
export async function openRegistry(
  program: Program,
  folder: string,
  tag: string,
): Promise<OpenRegistry> {
  const registry = join(folder, program.command);
  await mkdir(registry, { recursive: true });
  await makeCertificate(registry);
  const { name, origin, stop } = await startDistribution(program, registry);
  try {
    const token = await makeToken(registry, image, ["pull", "push"]);
    const target = { origin, image, token };
    return { name, target, digest: await pushSmallImage(target, tag), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
