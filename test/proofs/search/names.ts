/*
 * Names of branches in six languages, for searches. The n-th branch is the same in every run.
 */

/** What a branch is found by. */
export interface Named {
  mid: string;
  merchant_name: string;
  area: string;
  city: string;
  master_merchant_name: string;
  master_merchant_id: string;
}

/** Kinds of shops, owners, areas and cities of a language. */
const LANGUAGES: [shops: string[], owners: string[], areas: string[], cities: string[]][] = [
  [
    ['Café', 'Pastelaria', 'Livraria', 'Farmácia', 'Sapataria', 'Mercearia', 'Óptica', 'Padaria'],
    ['Casa Verde', 'São João', 'Irmãos Conceição', 'Avó Inês', 'Coração', 'Maçã', 'D’Ávila', 'Três Marias'],
    ['Baixa', 'Ribeira', 'Alfama', 'Sé', 'Boavista'],
    ['Lisboa', 'Porto', 'Coimbra', 'Évora', 'Guimarães', 'Faro'],
  ],
  [
    ['Bäckerei', 'Straßencafé', 'Buchhandlung', 'Apotheke', 'Schuhhaus', 'Gasthof', 'Metzgerei', 'Blumenladen'],
    ['Müller', 'Weiß & Söhne', 'Groß', 'Kaiserhof', 'Zum Löwen', 'Schön', 'Überall', 'Jäger'],
    ['Altstadt', 'Süd', 'Große Bleichen', 'Kreuzviertel', 'Nordend'],
    ['Köln', 'München', 'Gießen', 'Berlin', 'Düsseldorf', 'Hamburg'],
  ],
  [
    ['Boulangerie', 'Pâtisserie', 'Librairie', 'Crêperie', 'Pharmacie', 'Épicerie', 'Fromagerie', 'Hôtel'],
    ['L’Étoile', 'Chez Hélène', 'Le Cœur', 'Aux Délices', 'Garçon', 'Noël', 'D’Or', 'Lætitia'],
    ['Vieux-Port', 'Montmartre', 'La Défense', 'Bellecour', 'Saint-Roch'],
    ['Paris', 'Lyon', 'Nîmes', 'Besançon', 'Orléans', 'Marseille'],
  ],
  [
    ['Kawiarnia', 'Księgarnia', 'Piekarnia', 'Apteka', 'Cukiernia', 'Kwiaciarnia', 'Sklep', 'Gospoda'],
    ['Pod Różą', 'Żółw', 'Łódka', 'Gęś', 'Słoneczna', 'Ćma', 'Źródło', 'Dębowa'],
    ['Śródmieście', 'Praga', 'Wola', 'Podgórze', 'Stare Miasto'],
    ['Kraków', 'Łódź', 'Gdańsk', 'Poznań', 'Wrocław', 'Warszawa'],
  ],
  [
    ['Καφενείο', 'Φαρμακείο', 'Ταβέρνα', 'Βιβλιοπωλείο', 'Φούρνος', 'Ζαχαροπλαστείο', 'Ανθοπωλείο', 'Οπτικά'],
    ['Ο Ήλιος', 'Γιώργος', 'Θάλασσα', 'Άγιος Νικόλαος', 'Ελιά', 'Φως', 'Μπλε', 'Παράδεισος'],
    ['Πλάκα', 'Κολωνάκι', 'Λαδάδικα', 'Κέντρο', 'Ψυρρή'],
    ['Αθήνα', 'Θεσσαλονίκη', 'Πάτρα', 'Ηράκλειο', 'Βόλος', 'Λάρισα'],
  ],
  [
    ['Cửa hàng', 'Quán phở', 'Nhà sách', 'Tiệm bánh', 'Hiệu thuốc', 'Quán cà phê', 'Siêu thị', 'Nhà hàng'],
    ['Hương Sen', 'Bình Minh', 'Đồng Xuân', 'Ngọc Lan', 'Phượng', 'Thành Đạt', 'Mười', 'Ánh Dương'],
    ['Quận 1', 'Hoàn Kiếm', 'Phú Nhuận', 'Sơn Trà', 'Ngũ Hành Sơn'],
    ['Hà Nội', 'Đà Nẵng', 'Huế', 'Cần Thơ', 'Đà Lạt', 'Vũng Tàu'],
  ],
];

/** A pseudo-random whole number below `most` that depends on `n` and on what it is for. */
const dice = (n: number, salt: number, most: number): number => {
  let x = Math.imul(n ^ (salt * 0x9e3779b9), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) % most;
};

const one = <T>(values: readonly T[], n: number, salt: number): T => values[dice(n, salt, values.length)] as T;

/** The n-th branch. One in twenty belongs to a chain of many branches. */
export function branchNamed(prefix: string, n: number): Named {
  const [shops, owners, areas, cities] = one(LANGUAGES, n, 1);
  const shop = one(shops, n, 2);
  const owner = one(owners, n, 3);
  const isChain = dice(n, 4, 20) === 0;
  const business = isChain ? dice(n, 5, 20) : n;
  return {
    mid: `${prefix}${String(n).padStart(6, '0')}`,
    merchant_name: `${shop} ${owner}${dice(n, 6, 4) === 0 ? ` ${dice(n, 7, 3_000)}` : ''}`,
    area: one(areas, n, 8),
    city: one(cities, n, 9),
    master_merchant_name: isChain ? `Grupo Ñandú ${business}` : `${owner} ${shop}`,
    master_merchant_id: `${prefix}MM${business}`,
  };
}
