export const areas = [];
