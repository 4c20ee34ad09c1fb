// The pagination object: plain arithmetic over the requested page and the total.
import { limits, type Pagination } from '@roster/contract';

export function paginate(requested: { page: number; limit: number }, total: number, rows: number): Pagination {
  const { page, limit } = requested;
  const totalPages = Math.ceil(total / limit);
  const startPage = firstOfWindow(page, totalPages);
  const endPage = Math.min(startPage + limits.pagerWindow - 1, totalPages);
  const startIndex = (page - 1) * limit;
  return {
    total,
    page,
    limit,
    totalPages,
    startPage,
    endPage,
    startIndex,
    endIndex: startIndex + rows - 1,
    pages: Array.from({ length: endPage - startPage + 1 }, (_, i) => startPage + i),
  };
}

/** The window follows the page, five before it and four after it, and stops at both ends. */
function firstOfWindow(page: number, totalPages: number): number {
  if (totalPages <= limits.pagerWindow || page <= 6) return 1;
  if (page + 4 >= totalPages) return totalPages - limits.pagerWindow + 1;
  return page - 5;
}
