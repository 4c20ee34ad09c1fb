// The roles as people read them.
import type { Role } from '@roster/contract';

export const roleNames: Record<Role, string> = { owner: 'Owner', member: 'Member', viewer: 'Viewer' };
