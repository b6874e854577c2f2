/** The words for tiers and labels of images. */
import type { CatalogTier } from "../../client/index.ts";

/** The tiers in the order of the reference. */
export const tiers: readonly (readonly [CatalogTier, string])[] = [
  ["CATALOG_TIER_UNSPECIFIED", "Not set"],
  ["CATALOG_TIER_APPLICATION", "Application"],
  ["CATALOG_TIER_BASE", "Base image"],
  ["CATALOG_TIER_FIPS", "FIPS 140"],
  ["CATALOG_TIER_AI", "Machine learning"],
  ["CATALOG_TIER_DEVTOOLS", "Developer tools"],
  ["CATALOG_TIER_COMMERCIAL", "Commercial"],
];

/** The word for a tier. A tier of a newer platform shows its value. */
export const tierText = (tier: string | undefined): string =>
  tiers.find(([value]) => value === (tier ?? "CATALOG_TIER_UNSPECIFIED"))?.[1] ?? String(tier);

/** The labels that the platform accepts. */
export const bundles = [
  ...["application", "base", "byol", "ai", "ai-gpu", "featured", "fips", "commercial", "emeritoss"],
] as const;
