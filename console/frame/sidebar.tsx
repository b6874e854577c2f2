/** The navigation on the left, and the choice of the organization. On small windows it opens from a button. */
import { Link, useLocation } from "wouter-preact";
import {
  useAskedGroup,
  useCurrentGroup,
  useGroupInAddress,
  useOrganizations,
} from "../data/group.ts";
import { isAtOrAbove } from "../data/uids.ts";
import { addresses } from "./addresses.ts";
import { placeOf, sections } from "./sections.ts";

/** The navigation. Each link keeps the group. */
export function Sidebar() {
  const [location] = useLocation();
  const group = useAskedGroup();
  const here = placeOf(location);
  useGroupInAddress();
  return (
    <nav class="sidebar" aria-label="Console">
      <OrganizationPicker />
      {sections.map(({ title, places }) => (
        <div key={title}>
          <h2 class="sidebar-title">{title}</h2>
          <ul>
            {places.map((page) => (
              <li key={page.title}>
                <Link href={page.address(group)} aria-current={page === here ? "page" : undefined}>
                  {page.title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Another organization has none of the resources of the page, so the picker leads to the list of its own. */
function OrganizationPicker() {
  const { data: organizations = [] } = useOrganizations();
  const { uid } = useCurrentGroup();
  const [location, navigate] = useLocation();
  const current = organizations.find((organization) => isAtOrAbove(organization.uid, uid));
  if (organizations.length === 0) return null;
  return (
    <label class="organization">
      <span>Organization</span>
      <select
        class="input"
        value={current?.uid ?? ""}
        onChange={({ currentTarget }) =>
          navigate((placeOf(location)?.address ?? addresses.home)(currentTarget.value))
        }
      >
        {organizations.map(({ uid: organization, name }) => (
          <option key={organization} value={organization}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
