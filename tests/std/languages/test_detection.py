# ruff: noqa: E501, RUF001  # sentences of other alphabets, one per language
"""Languages by their function words. The sentences are the project's own: people at a table."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.languages.detection import (
    CODES,
    MIN_SHARE,
    guess,
    guess_language,
    is_language,
    language_code,
    shares,
)

SENTENCES = {
    "de": "ich weiß nicht ob wir das noch schaffen aber wenn die anderen auch kommen dann ist es vielleicht besser mit dem auto zu fahren als auf den bus zu warten der hat ja immer eine stunde verspätung",
    "en": "i don't know if we will make it but if the others are coming as well then it is perhaps better to go by car than to wait for the bus which is always an hour late you know",
    "nl": "ik weet niet of we het nog halen maar als de anderen ook komen dan is het misschien beter om met de auto te gaan dan op de bus te wachten want die heeft altijd een uur vertraging",
    "af": "ek weet nie of ons dit gaan maak nie maar as die ander ook kom dan is dit dalk beter om met die motor te ry as om vir die bus te wag want hy is altyd 'n uur laat",
    "sv": "jag vet inte om vi hinner men om de andra också kommer så är det kanske bättre att ta bilen än att vänta på bussen för den är alltid en timme sen och det är så kallt ute nu",
    "da": "jeg ved ikke om vi når det men hvis de andre også kommer så er det måske bedre at tage bilen end at vente på bussen for den er altid en time forsinket og det er så koldt udenfor nu",
    "nb": "jeg vet ikke om vi rekker det men hvis de andre også kommer så er det kanskje bedre å ta bilen enn å vente på bussen for den er alltid en time forsinket og hva skulle vi gjøre etter det",
    "is": "ég veit ekki hvort við náum þessu en ef hin koma líka þá er kannski betra að fara á bílnum en að bíða eftir strætó því hann er alltaf klukkutíma of seinn og það er svo kalt úti",
    "fr": "je ne sais pas si on va y arriver mais si les autres viennent aussi alors il est peut être mieux de prendre la voiture que d'attendre le bus parce qu'il a toujours une heure de retard et il fait froid",
    "es": "no sé si vamos a llegar pero si los otros también vienen entonces es mejor ir en coche que esperar el autobús porque siempre llega con una hora de retraso y hace mucho frío en la calle",
    "it": "non so se ce la facciamo ma se vengono anche gli altri allora forse è meglio andare in macchina che aspettare l'autobus perché ha sempre un'ora di ritardo e poi fa freddo e non c'è più nessuno",
    "pt": "não sei se vamos conseguir mas se os outros também vierem então talvez seja melhor ir de carro do que esperar pelo autocarro porque ele está sempre uma hora atrasado e faz muito frio na rua",
    "ca": "no sé si hi arribarem però si els altres també vénen potser és millor anar amb el cotxe que esperar l'autobús perquè sempre va amb una hora de retard i fa molt de fred al carrer",
    "ro": "nu știu dacă ajungem dar dacă vin și ceilalți atunci poate că este mai bine să mergem cu mașina decât să așteptăm autobuzul pentru că are mereu o oră de întârziere și este foarte frig",
    "cs": "nevím jestli to stihneme ale když přijdou i ostatní tak je možná lepší jet autem než čekat na autobus protože ten má vždycky hodinu zpoždění a je mi zima a už nechci být venku ani se mi to nelíbí",
    "sk": "neviem či to stihneme ale keď prídu aj ostatní tak je možno lepšie ísť autom ako čakať na autobus lebo ten má vždy hodinu meškanie a už nechcem byť vonku keď je taká zima čo s tým",
    "pl": "nie wiem czy zdążymy ale jeśli inni też przyjdą to może lepiej jest pojechać samochodem niż czekać na autobus bo on ma zawsze godzinę spóźnienia a na dworze jest już bardzo zimno i tak dalej",
    "sl": "ne vem če nam bo uspelo ampak če pridejo tudi drugi potem je mogoče bolje iti z avtom kot čakati na avtobus ker ima vedno uro zamude in je zunaj zelo mrzlo pa še sneg je bil",
    "hr": "ne znam hoćemo li stići ali ako dođu i ostali onda je možda bolje ići autom nego čekati autobus jer on uvijek kasni sat vremena a vani je već jako hladno i ne želim da se smrznemo",
    "ru": "я не знаю успеем ли мы но если и другие придут то может быть лучше поехать на машине чем ждать автобус потому что он всегда опаздывает на час а на улице уже так холодно",
    "uk": "я не знаю чи ми встигнемо але якщо й інші прийдуть то може краще поїхати на машині ніж чекати на автобус бо він завжди запізнюється на годину а надворі вже так холодно",
    "bg": "не знам дали ще успеем но ако дойдат и другите може би е по добре да отидем с колата отколкото да чакаме автобуса защото той винаги закъснява с един час а навън вече е много студено",
    "fi": "en tiedä ehdimmekö mutta jos muutkin tulevat niin ehkä on parempi mennä autolla kuin odottaa bussia koska se on aina tunnin myöhässä ja nyt on niin kylmä että ei voi olla ulkona",
    "et": "ma ei tea kas me jõuame aga kui ka teised tulevad siis on ehk parem minna autoga kui bussi oodata sest see on alati tund aega hiljem ja väljas on juba nii külm et ma ei taha seal olla",
    "hu": "nem tudom hogy odaérünk e de ha a többiek is jönnek akkor talán jobb lenne autóval menni mint a buszra várni mert az mindig egy órát késik és kint már nagyon hideg van meg esik is",
    "tr": "bilmiyorum yetişir miyiz ama diğerleri de gelirse o zaman belki arabayla gitmek otobüs beklemekten daha iyi çünkü o her zaman bir saat geç kalıyor ve bu akşam çok soğuk ne yapalım ben de sen gibi üşüyorum",
    "lt": "nežinau ar mes spėsime bet jei ir kiti ateis tai gal geriau važiuoti su mašina nei laukti autobuso nes jis visada vėluoja valandą o lauke jau labai šalta ir aš nenoriu ten būti",
    "lv": "es nezinu vai mēs paspēsim bet ja arī citi nāks tad varbūt ir labāk braukt ar mašīnu nekā gaidīt autobusu jo tas vienmēr kavē stundu un ārā jau ir ļoti auksts un es tur negribu būt",
    "id": "saya tidak tahu apakah kita bisa sampai tetapi jika yang lain juga datang maka lebih baik naik mobil dari pada menunggu bus karena bus itu selalu terlambat satu jam dan di luar sudah dingin",
    "vi": "tôi không biết là chúng ta có kịp không nhưng nếu những người khác cũng đến thì đi xe có lẽ tốt hơn là chờ xe buýt vì nó luôn trễ một giờ và ở ngoài này đã rất lạnh",
    "gd": "chan eil fhios agam am faigh sinn ann ach ma thig càch cuideachd nach eil e nas fheàrr an càr a ghabhail",
    "el": "δεν ξέρω αν θα προλάβουμε αλλά αν έρθουν και οι άλλοι τότε ίσως είναι καλύτερα να πάμε με το αυτοκίνητο",
    "ar": "لا أعرف إذا كان هذا صحيحا لكن كل ما قال عن ذلك كان في هذه المدينة مع أنه لم يكن هو الذي جاء من هناك بعد أن قد كان عند أخي",
    "he": "אני לא יודע אם זה נכון אבל הוא היה שם עם כל מה שיש לו כי היא לא רק אחות שלו של את זה גם אני יודע",
    "hi": "मैं नहीं जानता कि यह सही है या नहीं पर हम भी उस के साथ थे और वह एक घर में था जो उस की माँ का है",
    "ja": "わたし は きのう 東京 に 行きました",
    "cmn": "我 不 知道 他们 什么 时候 来",
    "ko": "나는 어제 서울에 갔습니다 그리고 친구를 만났습니다",
    "th": "ฉัน ไม่ รู้ ว่า เขา จะ มา",
}  # fmt: skip


def counted(text):
    return Counter(text.split())


def guessed(text):
    return guess(shares(counted(text)), len(text.split()))


def plain(text):
    """As a recogniser without accents writes it."""
    letters = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return letters.translate(str.maketrans({"ß": "ss", "ł": "l", "ı": "i", "đ": "d", "þ": "th"}))


@pytest.mark.parametrize("code", SENTENCES)
def test_a_language_is_known_by_one_long_sentence(code):
    found = guessed(SENTENCES[code])
    assert found.language == code
    assert found.share >= MIN_SHARE


@pytest.mark.parametrize("code", SENTENCES)
def test_neighbours_and_accents_and_capitals_do_not_mislead(code):
    for text in (SENTENCES[code].upper(), SENTENCES[code].title()):
        assert guessed(text).language == code
    if SENTENCES[code].isascii() or code in ("ro", "vi"):  # these lose too many letters
        return
    if plain(SENTENCES[code]).isascii():
        assert guessed(plain(SENTENCES[code])).language == code


def test_what_is_unlisted_is_not_taken_for_a_neighbour_for_sure():
    # Breton, Hausa, Maori, Somali
    for text in (
        "n'ouzon ket hag e vo tu deomp met mar deu ar re all ivez ez eo gwelloc'h marteze mont gant ar c'harr",
        "ban sani ba ko za mu iya amma idan sauran ma sun zo to watakila ya fi kyau mu tafi da mota",
        "kāore au e mōhio ka tae tātou engari ki te haere mai ērā atu he pai ake pea te haere mā runga motokā",
        "ma garanayo inaan gaari doono laakiin haddii kuwa kale yimaadaan waxaa laga yaabaa inay ka fiican tahay",
    ):  # fmt: skip
        assert not guessed(text).sure


@pytest.mark.parametrize(
    "text",
    [
        "",
        "xyzzy plugh",
        "ana de la hoya oscar de la renta javier de la torre",  # names
        "obama merkel macron putin trudeau",
        "a a a a e e e o o o i i a e o",
        "eins zwei drei vier fünf sechs",
    ],
)
def test_names_and_letters_tell_no_language(text):
    assert not guessed(text).sure
    assert guess(shares(counted(text)), 1000).language == ""


def test_two_languages_in_equal_parts_are_a_doubt():
    mixed = guessed(f"{SENTENCES['de']} {SENTENCES['en']}")
    assert mixed.language in ("de", "en")
    both = guessed(f"{SENTENCES['da']} {SENTENCES['nb']}")
    assert both.language in ("da", "nb")
    assert not both.sure


def test_a_few_words_give_a_hint_that_is_not_sure():
    few = guessed("das haus ist groß")
    assert (few.language, few.sure) == ("de", False)


@given(st.dictionaries(st.text(max_size=6), st.floats(0, 1e6, allow_subnormal=False), max_size=20))
def test_any_words_have_shares(counts):
    found = shares(counts)
    assert found.shape == (len(CODES),)
    assert (found >= 0).all()
    assert isinstance(guess_language(counts), str)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *[("German", "de"), ("deu", "de"), ("de-AT", "de"), ("en_GB", "en"), ("xx", "xx")],
        *[("no", "nb"), ("Nynorsk", "nb"), ("zh-TW", "cmn"), ("haitian creole", "ht"), ("", "")],
    ],
)
def test_names_and_codes_of_languages(name, code):
    assert language_code(name) == code


def test_what_names_no_language():
    assert all(is_language(language_code(one)) for one in ("german", "sv", "yue", "xx"))
    assert not any(is_language(language_code(one)) for one in ("", "x", "und", "mul", "klingon"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("der hund und die katze das haus ist", "de"),
        ("the dog and the cat of it", "en"),
        ("le chat et les chiens des rues sont dans une", "fr"),
        ("xyzzy plugh", ""),
        ("", ""),
    ],
)
def test_a_language_shows_in_its_function_words(words, code):
    assert guess_language(dict.fromkeys(words.split(), 2)) == code
