# ruff: noqa: E501, RUF001  # a line per language; letters of other alphabets are meant
"""The commonest words of languages in speech and writing: `std.languages.detection` recognises a language by them.

Up to some forty words per language, chosen to be frequent and to distinguish similar languages
(Danish and Norwegian, Czech and Slovak, Spanish and Galician). One-letter words are few, because
they are also letters of acronyms. Sources: common knowledge of the languages' closed word classes;
no frequency list was copied. Codes as espeak-ng names its voices; a few languages that it does not
speak are listed, too, so that they are not taken for a similar language.
"""

# fmt: off
FUNCTION_WORDS = {
    # Germanic
    "de": "der die und das nicht ist mit den von ein eine auf sich auch dem für als wird ich es zu sie wir zum im des einen war noch aber wenn sind hat wie nur dass nach bei haben oder so werden mir kann was doch dann schon aus ja mal",
    "en": "the and of to is that was for it with he as his are not be they this you have but what we can there all your when an or were so from if would about had which do by at on in my just like know been her she will has their it's don't i'm",
    "nl": "het een van en de niet dat zijn met voor op te hij aan is ook maar er ik je wat die om bij als naar dan zo nog wel ze heeft kan deze door over worden uit of hebben geen werd waar mijn hebt moet dit tot heb we",
    "af": "die nie en het van in is wat vir om hy te op sy met ek jy dit ons hulle hierdie aan by word as was sal kan maar ook deur moet so na nog jou baie daar haar my of geen",
    "lb": "an ass vun dat net mat op fir eng déi dee den huet sech ech och mir sinn dass wéi bei wat kann awer si ze ass hunn gouf zum nach oder am",
    "sv": "och att det som är en på för av med den inte till har de ett om var jag han så från vi kan men när ska hade nu där eller hur mycket blir vara också sig efter sin bara då mig dig vad skulle oss alla något detta",
    "da": "og at det er en som på af til for med den ikke der har de et om var jeg han så fra vi kan men når skal havde nu eller hvordan meget bliver være også sig efter sin bare mig dig hvad ville os noget dette blev kun enhver",
    "nb": "og å det er en som på av til for med den ikke har de et om var jeg han så fra vi kan men når skal hadde nå eller hvordan mye blir være også seg etter sin bare meg deg hva ville oss noe dette ble kun enhver ei ikkje eg frå vere dei blei kva",
    "is": "og að er það í á sem við til ekki um en hann með ég var af fyrir þetta hún þú þá eru hefur þess þeir eða frá þar svo eins verið vera hafa sér við þegar nú mér því allir hver sinni upp eftir",
    "fo": "og at er tað í á sum við til ikki um men hann eg var av fyri hetta hon tú tá eru hevur tess teir ella frá har so eins verið vera hava sær tey eisini skal hvør øll sína eftir",
    # Romance
    "fr": "les des et est dans que une pour qui du sur pas avec il au ce sont elle le la de un je vous nous on en ne plus mais ou par ça c'est cette ils ses leur comme tout fait être aux sa son si a j'ai d'un il y était bien",
    "es": "los las del que y por una con para su al es como más fue pero sus ha el la de en un no se lo me le está si yo eso muy este esta ya hay todo cuando porque son también sin qué era nos bien ser te mi hasta donde",
    "it": "il di che e la per un non con sono della gli una nel più anche del da è si in ma come le al ha mi questo lo dei se alla io ci era cosa perché essere nella su o quello tutti molto delle hanno poi i ogni suo quando cui",
    "pt": "os que do da um para com uma não por mais dos como foi ao das ele se de e o em é na no eu você isso mas ou está ser à são também seu sua tem pelo as então muito já há me quando até ela isto essa aos todo nós toda",
    "ca": "el la de que i a els les del per un una en és amb no es al va com més són o hi ha aquest aquesta però molt ser seva seu ho també dels pel això quan jo tot tota l'any està sense has em fins les seves què",
    "gl": "o a de que e do da en un para unha non por os as se como máis ao no na é con dos das súa seu foi pola polo aos ou está tamén máis ser teñen ten eu isto moi pero xa hai todo esta cando eles ela toda",
    "ro": "și de în la a cu nu că pe din este un o să se care mai pentru sunt au ce fi sau al ai ale lui dar prin după fost am ca cum avea asta până noi foarte acest această orice dreptul va lor le îi mă te îl sa si",
    # Slavic
    "cs": "a se na je že v to s z o do jsem jako ale pro by jeho si nebo který která které byl tak není po za od až jsou má které jen ve už při této jsme i bylo co také ze než k toho každý být aby mi my byla když u kde",
    "sk": "a sa na je že v to s z o do som ako ale pre by jeho si alebo ktorý ktorá ktoré bol tak nie je po za od až sú má len vo už pri tejto sme i bolo čo tiež zo než k toho každý byť aby mi bola keď kde právo má svoje",
    "pl": "i w na się z do nie to że jest o jak za po co ale od przez dla są tak było czy jego oraz być może ma tym już ich tylko który która które jako też mnie ja jej go było przy nich kiedy by bo aby mi nas tego każdy jeszcze",
    "sl": "in je v na se da za ki so z pa ne s bi kot po to tudi od do bo še pri kar iz ali sem ni imajo ima ter vse sta bil bila lahko ko mi če jih zelo smo vsak vsakdo pravico svoje tako bilo njegove njegov samo",
    "hr": "i je u na se da su za od s ne kao koji koja što ili ali sam iz bi po nije to o biti a do ima koje samo će bio sve kako njegov kad jer ja smo te prava pravo svatko svako može šta bilo treba tako još ovo već",
    "ru": "и в не на что с по как это он из но за к у я от же для так вы все она мы его бы о то был только была есть когда было они или если ещё еще уже нет до меня да ну вот быть который может чтобы каждый право имеет без",
    "uk": "і в не на що з та до як це він але за у я від для так ви все вона ми його й був була є коли було вони або якщо ще вже немає мене бути який може щоб кожна кожен право має без про при її цього їх тільки дуже ні",
    "be": "і ў не на што з да як гэта ён але за у я ад для так вы усё яна мы яго быў была ёсць калі было яны або яшчэ ўжо няма мяне быць які можа каб кожны права мае без пра пры яе гэтага іх толькі вельмі",
    "bg": "и на да се в за от е не с че са по си това като ще до бе го ли но или той му при има което който която след само те ми както може тя им все още беше към без всеки право ние аз ни",
    "mk": "и на да се во за од е не со дека ќе до го ги што но или тој му при има кој која само ми како може таа им уште беше без секој право ние јас ни сум сме оваа овој нема а тоа биде",
    "sr": "и је у на се да су за од с не као који која што или али сам из би по није то о бити а до има које само ће био све како његов кад јер ја смо те право свако може шта било треба тако још ово већ",
    # Baltic, Finnic, Ugric and others written in Latin letters
    "lt": "ir kad į su iš tai yra ne kaip jis o dėl bet ar už buvo aš taip jo apie prie tik nuo po mes jie savo jos teisę turi kiekvienas žmogus visi ji šis arba būti gali iki pagal jų dar labai mano jau nėra ką",
    "lv": "un ir ka no ar uz par to kas viņš bet tas vai arī pie gan kā es nav bija tā tikai pēc jo lai viņa mēs savu tiesības katram jābūt šo vai būt var līdz viņu ļoti mani jau vēl ja cilvēkam nedrīkst ikvienam tad",
    "et": "ja on ei et see ta oma kui ka mis või ning aga olid oli seda selle nii ma siis ole kes mitte igal õigus ühegi inimesel ise nende tema peab me sest veel juba väga kuid üks mille välja võib nagu sa mida olla tuleb",
    "fi": "ja on ei että se hän oli ovat mutta kun myös niin joka tai mitä ole jos minä sen vain kuin ne hänen jokaisella oikeus sekä tämä me nyt ollut voi mukaan jotka siitä sitä saa olla kaikki sinä mä sä olen niitä jo",
    "hu": "a az és hogy nem is egy van meg de ez azt ha mint csak volt el már vagy még mert én ki kell olyan aki minden nagyon lehet sem mi ezt vagyok neki ami amely őt nincs majd joga lenne fel itt akkor be ahhoz",
    "tr": "ve bir bu da de için ile olarak çok daha olan ne gibi var ben kadar sonra ama o mi en değil her veya şey sen ki bunu diye ya hakkı biz olduğu yok içinde bana hem şu mı nasıl göre hiç şekilde ise onun herkes bütün böyle zaman evet hayır bana işte tarafından",
    "az": "və bir bu da də üçün ilə olan çox daha nə kimi var mən qədər sonra amma o ən deyil hər ya sən ki bunu biz yox malikdir hüququ onun olaraq öz heç şəxs",
    "sq": "dhe të në e i një që për me nga si është nuk më ka se do këtë ky kjo por janë ai ajo tij gjithë çdo ose u ishte mund kanë duke veta edhe prej kur unë ne së saj drejtë",
    "eu": "eta da ez du bat hori dira izan egin ere zen bere baina edo dute den dela nik zuen da hau guztiek behar eskubidea beste dago batean hura zer gu gero orain ditu dituzte inork ni oso bezala gabe bai nire dut dugu baten beti egiten guzti honek",
    "cy": "y yn a i o ar yr mae ac ei am ei wedi gan bod nid oedd ni sydd hawl pawb ond hyn fel neu hynny dim eu at i'r o'r yw un oes wrth gyda fod eich",
    "ga": "agus an na is ar i a go le bhí tá sé ag do ní gach duine nach sin atá ach mar dá é ina bhfuil sí siad aon leis chun don as",
    "gd": "agus a an air na tha chan eil ach ma is gu bha do ann nas e iad aig bhith còir gach neach cuideachd mar no ris le nach cha bu sin seo mi thu againn agam fhios bhon",
    "mt": "il li u ta ma f' minn huwa l- kull dan din kien biex għandu jew fuq mhux kif hija x' aktar dawn wieħed hemm fil tal mill għal bil se jkun",
    "eo": "la kaj de en estas ne al ke por li mi kun ĝi sed ili ĉiu havas rajton aŭ tiu el oni pri via ni kiel vi estis plej sia por unu se tio pli kiu",
    "id": "yang dan di dengan untuk tidak ini itu dari dalam akan pada juga ke karena tersebut ada mereka lebih bisa saya adalah oleh sebagai kami kita atau tak setiap orang harus sudah hak dia seperti saat telah anda apa jadi aku",
    "ms": "yang dan di dengan untuk tidak ini itu dari dalam akan pada juga ke kerana tersebut ada mereka lebih boleh saya adalah oleh sebagai kami kita atau tiap-tiap orang hendaklah sudah hak dia seperti telah anda apa jadi ialah tiada setiap beliau",
    "tl": "ang ng sa na mga ay at hindi si may ako ito kung siya para niya ni pa lang naman kanyang po ka ba mo ko nang bawat tao karapatan isang o din wala ano",
    "vi": "và của là có không được cho các một với người trong này những để đã khi đó đến như cũng về từ ra thì tôi mà vào nhiều hay làm nó lại bị mọi đều quyền nào rất ông hoặc anh bạn chỉ phải",
    "sw": "na ya wa kwa ni katika la za kuwa cha hii kila mtu haki ana au hiyo yake huo wake lakini si pia huu kama mimi yote bila hayo ile ambao wao vya wote kwamba yeye",
    "la": "et in est non ad ut cum sed quod qui ex si per quae de atque aut esse enim sunt ab eius nec ac etiam omnes iure suum hoc autem sibi quam id",
    "ht": "ak nan yo pou li se ki tout moun gen dwa pa yon sa nou te la a mwen kap tankou sou lè oswa san chak fè ka oubyen peyi",
    # other scripts with several languages
    "ar": "في من على أن إلى لا هذا ما التي هذه عن كان مع الذي هو أو لكل كل ذلك بعد هي لم قد إن بين أنا لكن كما له به إذا وهو حتى أي منه فيها ثم عند أنه وفي",
    "fa": "و در به از که این را با است برای آن هر یک خود تا بر هم نیز می شود کس حق دارد بود من ما او باید چه اگر نمی شده یا کرد پس کند ها هیچ همه اند کنم",
    "ur": "کے میں کی ہے اور سے کا کو ہیں اس نے کہ پر یہ بھی ہر جو تو شخص حق نہیں یا ہو کر وہ ایک کسی گا ان ہم تھا لئے حاصل اپنے کیا آپ",
    "hi": "के में है की और से का को हैं ने यह कि पर भी जो तो नहीं हर या हो कर एक किसी व्यक्ति अधिकार इस वह लिए गया मैं हम था कोई उस अपने ही क्या प्रत्येक",
    "mr": "आहे आणि या ला ने चा ची चे व हा ही हे तो ते मी नाही किंवा प्रत्येक पण काय असे होते आहेत सर्व त्या एक कोणत्याही अधिकार त्याला",
    "ne": "छ र को मा ले का लाई गर्न यो हो छन् भने पनि वा प्रत्येक हुनेछ कुनै अधिकार व्यक्ति लागि तथा एक त्यो थियो हुन्छ छैन म",
    "yi": "און די פון אין איז דער צו אַ ניט מיט אויף דאָס האָט זיך יעדער וואָס רעכט אויך איר ער זייַן האָבן",
    "he": "של את לא על זה הוא אני כי עם גם כל או אל מה יש היא אם אבל היה לו רק אין אדם זכאי אדם זאת הם זכות אני שלו לה בו כמו",
}
# fmt: on
ONE_LANGUAGE_SCRIPTS = {  # first and last code point -> language, where a script has one
    (0x0370, 0x03FF): "el",
    (0x1F00, 0x1FFF): "el",
    (0x0530, 0x058F): "hy",
    (0x0980, 0x09FF): "bn",
    (0x0A00, 0x0A7F): "pa",
    (0x0A80, 0x0AFF): "gu",
    (0x0B00, 0x0B7F): "or",
    (0x0B80, 0x0BFF): "ta",
    (0x0C00, 0x0C7F): "te",
    (0x0C80, 0x0CFF): "kn",
    (0x0D00, 0x0D7F): "ml",
    (0x0D80, 0x0DFF): "si",
    (0x0E00, 0x0E7F): "th",
    (0x0E80, 0x0EFF): "lo",
    (0x1000, 0x109F): "my",
    (0x10A0, 0x10FF): "ka",
    (0x1200, 0x137F): "am",
    (0x1780, 0x17FF): "km",
    (0x1100, 0x11FF): "ko",
    (0xAC00, 0xD7AF): "ko",
    (0x3040, 0x30FF): "ja",  # kana; text in Han characters only counts for both
    (0x3400, 0x4DBF): "cmn",
    (0x4E00, 0x9FFF): "cmn",
}
