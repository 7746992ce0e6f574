/*
 * Names of shops, restaurants and chains as they write them, of twelve countries. For searches.
 */
const NAMES = `
Pastéis de Belém|A Brasileira|Confeitaria Nacional|Manteigaria|Pingo Doce|Continente Bom Dia|Minipreço
Livraria Bertrand|Livraria Lello|A Vida Portuguesa|Wells|Worten|Café Majestic|Padaria Portuguesa|H3
Vitaminas & Companhia|Casa da Guia|Mercadão|Ó Calhau|Nº 3 Lounge|O Velho Eurico|Ramiro|Zé da Mouraria
Pão Pão Queijo Queijo|Santini
dm-drogerie markt|Rossmann|REWE|EDEKA|ALDI SÜD|ALDI Nord|Lidl|Müller|C&A|H&M|Bäckerei Kamps|Hussel|Butlers
Thalia|Hugendubel|Käfer|Café Einstein|Nordsee|Backwerk|real,-|1. FC Köln Fanshop|1-2-3.tv|Peek & Cloppenburg
S.Oliver|Zum Schwarzen Kameel|K+K|Apotheke am Markt|toom|OBI|Fielmann
L'Occitane en Provence|Ladurée|Monoprix|Carrefour City|E.Leclerc|Intermarché|Super U|Système U|La Fée Maraboutée
Fnac|Darty|Picard|Du Pareil au Même|À la Mère de Famille|Chez l'Ami Jean|Aux Merveilleux de Fred
Le Petit Vendôme|Bouillon Chartier|Café de Flore|Les Deux Magots|Sœur|Maison Kitsuné|A.P.C.|agnès b.|Ba&sh
Zadig & Voltaire|Paul|Brioche Dorée|L'As du Fallafel|Septime
El Corte Inglés|Mercadona|Zara|Mango|Día|100 Montaditos|La Casa de los Abuelos de la Plaza|Casa Botín
La Tagliatella|VIPS|Rodilla|Goiko|Telepizza|Massimo Dutti|Pull&Bear|Stradivarius|Bershka|Tezenis|Ca la Nuri
Els 4 Gats|Cal Pep|7 Portes|Can Paixano|Bar del Pla|Farmacia de la Paz|Óptica 2000|D.Cámara|Jamón y Más|O Pazo
Ñam
Pane e Vino|Pane & Olio|Esselunga|Coop|Conad City|Eataly|La Feltrinelli|OVS|Upim|Tigotà|Acqua & Sapone
Da Michele|L'Antica Pizzeria da Michele|Trattoria da Enzo al 29|Caffè Gilli|Caffè Florian
Sant'Eustachio Il Caffè|Giolitti|Grom|Venchi|I Due Cugini|Old Wild West|Rossopomodoro|Bottega Verde|Kiko Milano
Dell'Oglio|Tabaccheria n. 7|Bar Sport 2|Il Gelato di San Crispino|Osteria N.1
7-Eleven|T.J. Maxx|Macy's|McDonald's|Wendy's|Arby's|Dunkin'|Trader Joe's|Lowe's|Kohl's|Dick's Sporting Goods
Bed Bath & Beyond|Barnes & Noble|A&W|P.F. Chang's|In-N-Out Burger|Chick-fil-A|Five Below|99 Cents Only|H-E-B
Toys "R" Us|Moe's Southwest Grill|Jack in the Box|Victoria's Secret|J.Crew|Men's Wearhouse|Sally Beauty
Ben & Jerry's|Hawaiʻi Poke|Zippy's|Kāneʻohe Bakery|24/7 Mart|Forever 21|Auntie Anne's|BJ's
Marks & Spencer|M&S Simply Food|Sainsbury's|Tesco Express|Waitrose & Partners|Boots|WHSmith|B&M|B&Q
Holland & Barrett|Fortnum & Mason|Pret A Manger|Nando's|Wagamama|Greggs|Gregg's|St. John|Ye Olde Cheshire Cheese
The Lamb & Flag|J D Wetherspoon|JD Sports|TK Maxx|O'Neill's|Co-op Food|A Little Something|Caffè Nero|Costa|Itsu
Leon|E. Pellicci|F. Cooke|The Fish and Chip Shop on the Corner
東京駅前カフェ|セブン-イレブン|ローソン|ファミリーマート|スターバックス コーヒー 渋谷店|マツモトキヨシ|ドン・キホーテ|すき家|吉野家|松屋|ココイチ|CoCo壱番屋|無印良品|ユニクロ|紀伊國屋書店|ビックカメラ
ヨドバシカメラ|高島屋|伊勢丹|鳥貴族|一蘭|丸亀製麺|はなまるうどん|ミスタードーナツ|モスバーガー|TSUTAYA|GU|東急ハンズ|Loft|3COINS|らーめん 山頭火|つけ麺屋 やすべえ|喫茶ルノアール
串カツ田中|サイゼリヤ
北京烤鸭店|全聚德|海底捞火锅|狗不理包子|沙县小吃|兰州拉面|永和大王|真功夫|西贝莜面村|外婆家|喜茶|奈雪の茶|蜜雪冰城|瑞幸咖啡|肯德基|麦当劳|华润万家|永辉超市|物美|盒马鲜生|屈臣氏|新华书店|同仁堂|老凤祥
李宁|安踏|苏宁易购|国美电器|罗森|全家
ร้านกาแฟสยาม|เซเว่น อีเลฟเว่น|โลตัส|บิ๊กซี|แม็คโคร|เซ็นทรัล|โรบินสัน|ท็อปส์|คาเฟ่ อเมซอน|แบล็คแคนยอน
เอ็มเค สุกี้|ชาตรามือ|อินทนิล|วัตสัน|บู๊ทส์|ซีเอ็ด|นายอินทร์|ส้มตำนัว|ก๋วยเตี๋ยวเรือ|ข้าวมันไก่ประตูน้ำ|เจ๊ไฝ
ทิพย์สมัย|ร้านยาฟาสซิโน|โฮมโปร
مقهى الفيشاوي|كشري أبو طارق|أولاد رجب|خير زمان|سعودي ماركت|صيدلية العزبي|صيدليات 19011|مكتبة ديوان|مكتبة الشروق
حلواني العبد|لابوار|تسيباس|زوبا|فلفلة|أحمد عبد الرؤوف|مُحَمَّد أحمد|الدهان|صبحي كابر|قصر الكبابجي|بلبن|سيلانترو
بينوس كافيه|راديو شاك|أوسكار جراند ستورز
파리바게뜨|뚜레쥬르|이마트24|GS25|CU|세븐일레븐|올리브영|다이소|롯데마트|홈플러스|교보문고|영풍문고|김밥천국|본죽|교촌치킨|BBQ 치킨|이디야커피|투썸플레이스|놀부 부대찌개|신전떡볶이|집
맘스터치|한 솥|서울 약국`;

export const SHOP_NAMES: string[] = NAMES.trim().split(/[|\n]/);
