/** Remembers for a moment that an upstream does not have something, so that repeated pulls of it do not ask again. */
import type { Mirror } from "./setting.ts";

/** How long an isolate remembers it, in milliseconds. */
const rememberedFor = 5_000;

const absent = new Map<string, number>();

const keyOf = ({ holder, path }: Mirror, reference: string) => `${holder.uid} ${path} ${reference}`;

/** Whether the upstream did not have the tag or the digest a moment ago. */
export const isAbsent = (mirror: Mirror, reference: string): boolean =>
  (absent.get(keyOf(mirror, reference)) ?? 0) > Date.now();

/** Remembers that the upstream does not have it. */
export function noteAbsent(mirror: Mirror, reference: string): void {
  if (absent.size > 1_000) absent.clear();
  absent.set(keyOf(mirror, reference), Date.now() + rememberedFor);
}
