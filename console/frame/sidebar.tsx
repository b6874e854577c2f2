/** The navigation on the left, and the choice of the organization. On small windows it opens from a button. */
import { Link, useLocation } from "wouter-preact";
import { useAskedGroup, useCurrentGroup, useOrganizations } from "../data/group.ts";
import { useParameters } from "../data/parameters.ts";
import { isAtOrAbove } from "../data/uids.ts";
import { sections } from "./sections.ts";

/** The navigation. Each link keeps the group. */
export function Sidebar() {
  const [location] = useLocation();
  const group = useAskedGroup();
  return (
    <nav class="sidebar" aria-label="Console">
      <OrganizationPicker />
      {sections.map(({ title, places }) => (
        <div key={title}>
          <h2 class="sidebar-title">{title}</h2>
          <ul>
            {places.map(({ title: text, address }) => {
              const href = address(group);
              const path = href.replace(/\?.*$/, "");
              const isHere = path === "/" ? location === "/" : location.startsWith(path);
              return (
                <li key={text}>
                  <Link href={href} aria-current={isHere ? "page" : undefined}>
                    {text}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function OrganizationPicker() {
  const { data: organizations = [] } = useOrganizations();
  const { uid } = useCurrentGroup();
  const { set } = useParameters();
  const current = organizations.find((one) => isAtOrAbove(one.uid, uid));
  if (organizations.length === 0) return null;
  return (
    <label class="organization">
      <span>Organization</span>
      <select
        class="input"
        value={current?.uid ?? ""}
        onChange={({ currentTarget }) => set({ group: currentTarget.value }, { push: true })}
      >
        {organizations.map(({ uid: one, name }) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
