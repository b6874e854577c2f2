/** Recognizes the tags of releases by their names. */

const digits = "'0123456789'";

/**
 * SQL: whether the name of a tag is a complete version (Semantic Versioning 2.0.0), such as `1.2.3`, `v1.2.3`
 * or `1.2.3-alpine`. Names such as `1.2` and `latest` are meant to move. `name` is SQL.
 */
export function releaseCondition(name: string): string {
  const version = `iif(${name} GLOB 'v[0-9]*', substr(${name}, 2), ${name})`;
  const afterMajor = `ltrim(${version}, ${digits})`;
  const afterMinor = `ltrim(substr(${afterMajor}, 2), ${digits})`;
  const afterPatch = `ltrim(substr(${afterMinor}, 2), ${digits})`;
  return `(${version} GLOB '[0-9]*' AND ${afterMajor} GLOB '.[0-9]*' AND ${afterMinor} GLOB '.[0-9]*'
			AND (${afterPatch} = '' OR ${afterPatch} GLOB '[-+]?*'))`;
}
