/** The names of packages that their ecosystems spell in several ways. */

/** The one name of a Python package (PEP 503). */
export const pypiName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, "-");

/**
 * The one spelling of a name, by the component_type of an advisory. A package URL of Go is in lower case (purl-spec,
 * `golang`). Other ecosystems have one spelling already.
 */
export function canonicalName(componentType: string, name: string): string {
  if (componentType === "python") return pypiName(name);
  return componentType === "go-module" ? name.toLowerCase() : name;
}

/** The component types with several spellings of a name. */
export const spelledTypes = ["python", "go-module"] as const;
